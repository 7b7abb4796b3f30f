//! `:diff` on the screens: with the plan before the edit, with a revision, and for two nodes.

use super::stage::{Play, graph};
use crate::compare::report::Document;
use crate::compare::{Collector, Outcome, differences};
use crate::graph::Graph;

fn document(one: &Graph, other: &Graph) -> Document {
    let mut all = Collector::new(vec![String::new()]);
    all.add(0, Outcome::Compared(differences(one, other)));
    all.finish().document(&["HEAD".into(), "this program".into()], false)
}

#[test]
fn comparisons_are_drawn_in_place_of_the_summary() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut play = Play::sized(width, height, "p");
        play.comparison = Some(document(&Graph::default(), &graph()));
        play.press(":  d  i  f  f  space  H  E  A  D  enter");
        assert_eq!(play.asked, ["Compare(Revision(\"HEAD\"))"]);
        play.shows("+ pkg[nginx]");
        insta::assert_snapshot!(format!("comparison-{width}x{height}"), play.draw());
        play.press("esc");
        insta::assert_snapshot!(format!("compared-{width}x{height}"), play.draw());
        play.press("=").hides("Comparison");
    }
}

#[test]
fn a_row_of_a_comparison_leads_to_its_resource() {
    let mut play = Play::after("p");
    play.comparison = Some(document(&Graph::default(), &graph()));
    play.press(":  d  i  f  f  space  H  E  A  D  enter  down  enter");
    play.shows("[3 Graph]").shows("file[/srv/web/index.html]");
}

#[test]
fn what_cannot_be_compared_is_reported() {
    let mut play = Play::after("p  :  d  i  f  f  space  -  enter");
    play.shows("no plan from before an edit");
    play.press(":  d  i  f  f  space  n  o  n  e  enter").shows("no revision");
    play.press(":  d  i  f  f  space  w  e  b  1  space  D  b  1  enter");
    assert_eq!(play.asked.last().map(String::as_str), Some("Compare(Nodes(\"web1\", \"db1\"))"));
}
