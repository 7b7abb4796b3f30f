//! Functions that call a lambda for each element.

use std::sync::Arc;

use super::{EACH, Function, Unknown};
use crate::lang::puppet::ast::Text;
use crate::lang::puppet::call::{Block, Call};
use crate::lang::puppet::eval::unknown::leave_out_call;
use crate::lang::puppet::eval::{Evaluator, apply_each};
use crate::lang::puppet::stop::{Help, Run, Stop};
use crate::lang::puppet::types::{self, Type};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::{Items, Map, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "each",
        signature: "each(Iterable of) |k, v|",
        doc: "Calls the lambda for each element; gives the first argument.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2].each |$n| { notice($n) }", "[1, 2]")],
        takes: EACH,
        is_pure: true,
        glances: true,
        passes_on: true,
        call: each,
    },
    Function {
        name: "map",
        signature: "map(Iterable of) |k, v|",
        doc: "What the lambda gives for each element.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2].map |$n| { $n * 2 }", "[2, 4]")],
        takes: EACH,
        is_pure: true,
        glances: true,
        call: map,
        ..Function::PLAIN
    },
    Function {
        name: "filter",
        signature: "filter(Iterable of) |k, v|",
        doc: "The elements for which the lambda gives true.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2, 3].filter |$n| { $n > 1 }", "[2, 3]")],
        takes: EACH,
        is_pure: true,
        glances: true,
        call: |e, c| filter(e, c),
        ..Function::PLAIN
    },
    Function {
        name: "any",
        signature: "any(Iterable of) |k, v|",
        doc: "Whether the lambda gives true for an element.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2].any |$n| { $n > 1 }", "true")],
        takes: EACH,
        is_pure: true,
        glances: true,
        call: |e, c| quantified(e, c, true),
        ..Function::PLAIN
    },
    Function {
        name: "all",
        signature: "all(Iterable of) |k, v|",
        doc: "Whether the lambda gives true for every element.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2].all |$n| { $n > 1 }", "false")],
        takes: EACH,
        is_pure: true,
        glances: true,
        call: |e, c| quantified(e, c, false),
        ..Function::PLAIN
    },
    Function {
        name: "reduce",
        signature: "reduce(Iterable of, Optional[Any] start) |memo, v|",
        doc: "Combines all elements to one value.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2, 3].reduce |$sum, $n| { $sum + $n }", "6")],
        takes: &[
            ("Callable[Iterable, Callable[2, 2]]", "enumerable block"),
            ("Callable[Iterable, Any, Callable[2, 2]]", "enumerable memo block"),
        ],
        is_pure: true,
        glances: true,
        call: reduce,
        ..Function::PLAIN
    },
    Function {
        name: "reverse_each",
        signature: "reverse_each(Iterable of)",
        doc: "The elements from the last to the first.",
        unknown: Unknown::Arranges,
        takes: &[("Callable[Iterable]", "iterable"), ("Callable[Iterable, Callable[1, 1]]", "iterable block")],
        is_pure: true,
        glances: true,
        passes_on: true,
        call: reverse_each,
        ..Function::PLAIN
    },
    Function {
        name: "step",
        signature: "step(Iterable of, Integer[1] step)",
        doc: "The first element and each step-th one after it.",
        unknown: Unknown::Arranges,
        examples: &[("Array([1, 2, 3, 4].step(2))", "[1, 3]")],
        takes: &[
            ("Callable[Iterable, Integer[1]]", "iterable step"),
            ("Callable[Iterable, Integer[1], Callable[1, 1]]", "iterable step block"),
        ],
        is_pure: true,
        call: step,
        ..Function::PLAIN
    },
    Function {
        name: "slice",
        signature: "slice(Iterable of, Integer[1] size)",
        doc: "The elements in lists of a size.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2, 3].slice(2)", "[[1, 2], [3]]")],
        takes: &[
            ("Callable[Hash, Integer[1], Optional[Callable]]", "hash slice_size block"),
            ("Callable[Iterable, Integer[1], Optional[Callable]]", "enumerable slice_size block"),
        ],
        is_pure: true,
        call: slice,
        ..Function::PLAIN
    },
    Function {
        name: "tree_each",
        signature: "tree_each(Variant[Iterator, Array, Hash] tree, Optional[Hash] options)",
        doc: "Paths and values of a tree.",
        takes: &[
            (
                "Callable[Variant[Iterator, Array, Hash, Object], Struct[{Optional['container_type'] => Type, Optional['include_root'] => Boolean, Optional['include_containers'] => Boolean, Optional['include_values'] => Boolean, Optional['include_refs'] => Boolean, Optional['order'] => Enum['depth_first', 'breadth_first']}], 1, 2, Callable[2, 2]]",
                "tree options block",
            ),
            (
                "Callable[Variant[Iterator, Array, Hash, Object], Struct[{Optional['container_type'] => Type, Optional['include_root'] => Boolean, Optional['include_containers'] => Boolean, Optional['include_values'] => Boolean, Optional['include_refs'] => Boolean, Optional['order'] => Enum['depth_first', 'breadth_first']}], 1, 2, Callable[1, 1]]",
                "tree options block",
            ),
            (
                "Callable[Variant[Iterator, Array, Hash, Object], Struct[{Optional['container_type'] => Type, Optional['include_root'] => Boolean, Optional['include_containers'] => Boolean, Optional['include_values'] => Boolean, Optional['include_refs'] => Boolean, Optional['order'] => Enum['depth_first', 'breadth_first']}], 1, 2]",
                "tree options",
            ),
        ],
        is_pure: true,
        call: tree_each,
        ..Function::PLAIN
    },
    Function {
        name: "partition",
        signature: "partition(Collection of) |v|",
        doc: "The elements for which the lambda gives true, and the others.",
        unknown: Unknown::Arranges,
        examples: &[("[1, 2, 3].partition |$n| { $n > 1 }", "[[2, 3], [1]]")],
        takes: &[
            ("Callable[[Collection, Callable[1, 1]], Tuple[Array, Array]]", "collection block"),
            ("Callable[[Array, Callable[2, 2]], Tuple[Array, Array]]", "array block"),
            ("Callable[[Collection, Callable[2, 2]], Tuple[Array, Array]]", "collection block"),
        ],
        is_pure: true,
        call: partition,
        ..Function::PLAIN
    },
    Function {
        name: "group_by",
        signature: "group_by(Collection of) |v|",
        doc: "The elements by what the lambda gives for them.",
        unknown: Unknown::Arranges,
        examples: &[("['a', 'bb', 'c'].group_by |$t| { $t.length }", "{1 => ['a', 'c'], 2 => ['bb']}")],
        takes: &[
            ("Callable[[Collection, Callable[1, 1]], Hash]", "collection block"),
            ("Callable[[Array, Callable[2, 2]], Hash]", "array block"),
            ("Callable[[Collection, Callable[2, 2]], Hash]", "collection block"),
        ],
        is_pure: true,
        call: group_by,
        ..Function::PLAIN
    },
    Function {
        name: "index",
        signature: "index(Iterable of, Any value)",
        doc: "The index or key of the first element that fits.",
        examples: &[("['a', 'b'].index('b')", "1")],
        is_pure: true,
        call: index,
        ..Function::PLAIN
    },
    Function {
        name: "with",
        signature: "with(Any *values) |*values|",
        doc: "Calls the lambda with the arguments.",
        unknown: Unknown::Chooses,
        examples: &[("with(1, 2) |$a, $b| { $a + $b }", "3")],
        takes: &[("Callable[Any, 0, Callable]", "arg block")],
        is_pure: true,
        glances: true,
        passes_on: true,
        call: |e, c| {
            let b = c.needs_block()?;
            e.apply(&b, &c.args, c.span)
        },
    },
    Function {
        name: "then",
        signature: "then(Any value) |value|",
        doc: "Calls the lambda unless the value is undef.",
        examples: &[("5.then |$n| { $n + 1 }", "6")],
        takes: &[("Callable[Any, Callable[1, 1]]", "arg block")],
        is_pure: true,
        glances: true,
        passes_on: true,
        call: |e, c| {
            if *c.arg(0) == Value::Undef {
                Ok(Value::Undef)
            } else {
                let b = c.needs_block()?;
                e.apply(&b, &c.args, c.span)
            }
        },
        ..Function::PLAIN
    },
    Function {
        name: "lest",
        signature: "lest(Any value) ||",
        doc: "Calls the lambda if the value is undef.",
        examples: &[("undef.lest || { 1 }", "1")],
        takes: &[("Callable[Any, Callable[0, 0]]", "arg block")],
        is_pure: true,
        glances: true,
        passes_on: true,
        call: |e, c| {
            if *c.arg(0) == Value::Undef {
                let b = c.needs_block()?;
                e.apply(&b, &[], c.span)
            } else {
                Ok(c.arg(0).clone())
            }
        },
        ..Function::PLAIN
    },
];

/// How a collection is walked.
enum Elements {
    List(Vec<Value>),
    Hash(Vec<(Value, Value)>),
}

fn elements(call: &Call, value: &Value) -> Run<Elements> {
    Ok(match value {
        Value::Array(list) => Elements::List(list.to_vec()),
        Value::Hash(map) => Elements::Hash(map.iter().map(|(k, v)| (k.clone(), v.clone())).collect()),
        Value::Iterator(items) => Elements::List(items.items.clone()),
        Value::Str(text) => Elements::List(text.chars().map(|c| Value::str(c.to_string())).collect()),
        Value::Int(count) if *count >= MOST => return too_many(call),
        Value::Int(count) if *count >= 0 => Elements::List((0..*count).map(Value::Int).collect()),
        Value::Binary(bytes) => Elements::List(bytes.iter().map(|b| Value::Int(i64::from(*b))).collect()),
        Value::Type(ty) => match &**ty {
            Type::Integer(from, to) if *from != i64::MIN && *to != i64::MAX && to.saturating_sub(*from) >= MOST => {
                return too_many(call);
            }
            Type::Integer(from, to) if *from != i64::MIN && *to != i64::MAX => {
                Elements::List((*from..=*to).map(Value::Int).collect())
            }
            Type::Enum { values, .. } => Elements::List(values.iter().map(|v| Value::Str(v.clone())).collect()),
            _ => return not_iterable(call, value),
        },
        _ => return not_iterable(call, value),
    })
}

/// As many numbers of a range can be iterated over.
const MOST: i64 = 1_000_000;

fn too_many<V>(call: &Call) -> Run<V> {
    call.fail(format!("'{}': a range of more than {MOST} numbers", call.name)).help("iterate over a smaller range")
}

fn not_iterable<V>(call: &Call, value: &Value) -> Run<V> {
    call.wrong_type(format!("'{}' expects an Iterable value, got {}", call.name, types::infer_generic(value)))
}

/// The arguments of a lambda for each element: one or two, by what it takes.
fn arguments(call: &Call, block: &Block, value: &Value) -> Run<Vec<Vec<Value>>> {
    let (least, most) = block.arity();
    if least > 2 || most == 0 {
        return call.wrong_count(format!("'{}' block expects between 1 and 2 arguments", call.name));
    }
    let two = least == 2 || most == 2 || most == usize::MAX;
    Ok(match elements(call, value)? {
        Elements::List(list) if two => {
            list.into_iter().enumerate().map(|(i, v)| vec![Value::Int(i as i64), v]).collect()
        }
        Elements::List(list) => list.into_iter().map(|v| vec![v]).collect(),
        Elements::Hash(list) if two => list.into_iter().map(|(k, v)| vec![k, v]).collect(),
        Elements::Hash(list) => list.into_iter().map(|(k, v)| vec![Value::array(vec![k, v])]).collect(),
    })
}

/// Calls the lambda for each element, until it breaks or `goes_on` is false for its value.
fn run(e: &mut Evaluator<'_>, call: &Call, goes_on: impl FnMut(Value) -> bool) -> Run<()> {
    let block = call.needs_block()?;
    let lists = arguments(call, &block, call.arg(0))?;
    apply_each(e, &block, lists, call.span, goes_on)
}

/// Whether the lambda accepts each element; nothing where that is unknown of one.
fn accepted(e: &mut Evaluator<'_>, call: &Call) -> Run<Option<Vec<bool>>> {
    let (mut kept, mut is_open) = (Vec::new(), false);
    run(e, call, |value| {
        is_open |= value.is_open();
        kept.push(value.is_true());
        true
    })?;
    Ok((!is_open).then_some(kept))
}

fn each(e: &mut Evaluator<'_>, call: &Call) -> Run {
    run(e, call, |_| true)?;
    Ok(call.arg(0).clone())
}

fn map(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut out = Vec::new();
    run(e, call, |value| {
        out.push(value);
        true
    })?;
    Ok(Value::array(out))
}

fn filter(e: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 1)?;
    let Some(kept) = accepted(e, call)? else { return Ok(Value::Unknown(None)) };
    Ok(match elements(call, call.arg(0))? {
        Elements::List(list) => {
            Value::array(list.into_iter().zip(&kept).filter(|(_, k)| **k).map(|(v, _)| v).collect())
        }
        Elements::Hash(list) => Value::hash(list.into_iter().zip(&kept).filter(|(_, k)| **k).map(|(v, _)| v).collect()),
    })
}

fn quantified(e: &mut Evaluator<'_>, call: &Call, wanted: bool) -> Run {
    call.between(1, 1)?;
    let (mut found, mut is_open) = (!wanted, false);
    run(e, call, |value| {
        if value.is_open() {
            is_open = true;
        } else if value.is_true() == wanted {
            found = wanted;
            return false;
        }
        true
    })?;
    Ok(if is_open && found != wanted { Value::Unknown(None) } else { Value::Bool(found) })
}

fn reduce(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let block = call.needs_block()?;
    if block.arity().0 > 2 || block.arity().1 < 2 {
        return call.wrong_count("'reduce' block expects 2 arguments");
    }
    let mut list = list_of(call)?.into_iter();
    let Some(mut memo) = call.args.get(1).cloned().or_else(|| list.next()) else { return Ok(Value::Undef) };
    for item in list {
        match e.apply(&block, &[memo.clone(), item], call.span) {
            Err(Stop::Break(_)) => break,
            value => memo = value?,
        }
    }
    Ok(memo)
}

fn list_of(call: &Call) -> Run<Vec<Value>> {
    Ok(match elements(call, call.arg(0))? {
        Elements::List(list) => list,
        Elements::Hash(list) => list.into_iter().map(|(k, v)| Value::array(vec![k, v])).collect(),
    })
}

/// The items as an iterator, or through the lambda.
fn lazy(e: &mut Evaluator<'_>, call: &Call, items: Vec<Value>) -> Run {
    if let Some(block) = &call.block {
        apply_each(e, block, items.into_iter().map(|item| vec![item]), call.span, |_| true)?;
        return Ok(Value::Undef);
    }
    Ok(Value::Iterator(Arc::new(Items { items })))
}

fn reverse_each(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let mut items = list_of(call)?;
    items.reverse();
    lazy(e, call, items)
}

fn step(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let Value::Int(by @ 1..) = call.arg(1) else {
        return call.wrong_type("'step' parameter 'step' expects an Integer[1] value");
    };
    let items = list_of(call)?.into_iter().step_by(*by as usize).collect();
    lazy(e, call, items)
}

fn slice(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let Value::Int(size @ 1..) = call.arg(1) else {
        return call.wrong_type("'slice' parameter 'slice_size' expects an Integer[1] value");
    };
    let chunks: Vec<Vec<Value>> = list_of(call)?.chunks(*size as usize).map(<[Value]>::to_vec).collect();
    let Some(block) = &call.block else {
        return Ok(Value::array(chunks.into_iter().map(Value::array).collect()));
    };
    let (least, most) = block.arity();
    let lists = chunks.into_iter().map(|mut chunk| {
        if least <= 1 && most == 1 {
            return vec![Value::array(chunk)];
        }
        if most != usize::MAX {
            chunk.resize(most.min(*size as usize).max(chunk.len()), Value::Undef);
        }
        chunk
    });
    apply_each(e, block, lists, call.span, |_| true)?;
    Ok(call.arg(0).clone())
}

fn tree_each(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let options = call.arg(1);
    let flag = |name: &str, default: bool| match options.get(name) {
        Some(Value::Bool(value)) => *value,
        _ => default,
    };
    let breadth = matches!(options.get("order"), Some(Value::Str(o)) if &**o == "breadth_first");
    let container = match options.get("container_type") {
        Some(Value::Type(ty)) => Some(ty.clone()),
        _ => None,
    };
    let walk = Walk {
        root: flag("include_root", true),
        containers: flag("include_containers", true),
        values: flag("include_values", true),
        container,
        references: flag("include_refs", false),
    };
    if !walk.containers && !walk.values {
        return call.fail("'tree_each' options 'include_containers' and 'include_values' cannot both be false");
    }
    let mut items = Vec::new();
    let start = call.arg(0).clone();
    if breadth {
        let mut queue = std::collections::VecDeque::from([(Vec::new(), start)]);
        while let Some((path, value)) = queue.pop_front() {
            e.output.spend(1 + path.len() as u64, call.span)?;
            walk.visit(&path, &value, &mut items);
            queue.extend(walk.children(&path, &value));
        }
    } else {
        let mut stack = vec![(Vec::new(), start)];
        while let Some((path, value)) = stack.pop() {
            e.output.spend(1 + path.len() as u64, call.span)?;
            walk.visit(&path, &value, &mut items);
            let mut children = walk.children(&path, &value);
            children.reverse();
            stack.extend(children);
        }
    }
    if let Some(block) = &call.block {
        let two = block.arity().1 >= 2;
        let lists = items.into_iter().map(|item| match &item {
            Value::Array(pair) if two => pair.to_vec(),
            Value::Array(pair) if pair.len() == 2 => vec![pair[1].clone()],
            _ => vec![item],
        });
        apply_each(e, block, lists, call.span, |_| true)?;
        return Ok(call.arg(0).clone());
    }
    Ok(Value::Iterator(Arc::new(Items { items })))
}

struct Walk {
    root: bool,
    containers: bool,
    values: bool,
    container: Option<types::Ty>,
    /// Attributes of objects that only refer to others count too.
    references: bool,
}

impl Walk {
    fn is_container(&self, value: &Value) -> bool {
        let by_kind = matches!(value, Value::Array(_) | Value::Hash(_) | Value::Object(_));
        by_kind && self.container.as_ref().is_none_or(|ty| types::is_instance(ty, value))
    }

    fn visit(&self, path: &[Value], value: &Value, out: &mut Vec<Value>) {
        let is_container = self.is_container(value);
        if path.is_empty() && !(self.root && self.containers) {
            return;
        }
        if if is_container { self.containers } else { self.values } {
            out.push(Value::array(vec![Value::array(path.to_vec()), value.clone()]));
        }
    }

    fn children(&self, path: &[Value], value: &Value) -> Vec<(Vec<Value>, Value)> {
        if !self.is_container(value) {
            return Vec::new();
        }
        let with = |key: Value| {
            let mut path = path.to_vec();
            path.push(key);
            path
        };
        match value {
            Value::Array(list) => {
                list.iter().enumerate().map(|(i, v)| (with(Value::Int(i as i64)), v.clone())).collect()
            }
            Value::Hash(map) => map.iter().map(|(k, v)| (with(k.clone()), v.clone())).collect(),
            Value::Object(object) => {
                let all = types::attributes(&object.ty);
                let is_shown = |kind| match kind {
                    types::AttributeKind::Constant => false,
                    types::AttributeKind::Reference => self.references,
                    _ => true,
                };
                let shown = all.into_iter().filter(|attribute| is_shown(attribute.kind));
                let value = |name: &Text| object.attributes.iter().find(|(own, _)| own == name).map(|(_, v)| v.clone());
                shown.filter_map(|a| Some((with(Value::Str(a.name.clone())), value(&a.name)?))).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn partition(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let Some(kept) = accepted(e, call)? else { return Ok(Value::Unknown(None)) };
    let (mut yes, mut no) = (Vec::new(), Vec::new());
    for (item, kept) in list_of(call)?.into_iter().zip(kept) {
        if kept { yes.push(item) } else { no.push(item) }
    }
    Ok(Value::array(vec![Value::array(yes), Value::array(no)]))
}

fn group_by(e: &mut Evaluator<'_>, call: &Call) -> Run {
    if !matches!(call.arg(0), Value::Array(_) | Value::Hash(_)) {
        return not_iterable(call, call.arg(0));
    }
    let mut keys = Vec::new();
    run(e, call, |value| {
        keys.push(value);
        true
    })?;
    if keys.iter().any(unknown::is_in) {
        return Ok(Value::Unknown(None));
    }
    let mut groups = Map::default();
    for (item, key) in list_of(call)?.into_iter().zip(keys) {
        match groups.entry(key).or_insert_with(|| Value::array(Vec::new())) {
            Value::Array(list) => Arc::make_mut(list).push(item),
            _ => return call.fail("group_by(): not a list"),
        }
    }
    Ok(Value::hash(groups))
}

fn index(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let found = |i: usize| match call.arg(0) {
        Value::Hash(map) => map.get_index(i).map_or(Value::Undef, |(k, _)| k.clone()),
        _ => Value::Int(i as i64),
    };
    if call.block.is_some() {
        call.between(1, 1)?;
        let (mut at, mut hit, mut is_open) = (0, None, false);
        run(e, call, |value| {
            is_open |= value.is_open();
            if is_open {
                return false;
            }
            if value.is_true() {
                hit = Some(at);
                return false;
            }
            at += 1;
            true
        })?;
        // Whether the block runs for the rest is unknown.
        if is_open {
            leave_out_call(e, &call.name, call)?;
            return Ok(Value::Unknown(None));
        }
        return Ok(hit.map_or(Value::Undef, found));
    }
    call.between(2, 2)?;
    let wanted = call.arg(1);
    if let (Value::Str(text), Value::Str(part)) = (call.arg(0), wanted) {
        return Ok(text.find(&**part).map_or(Value::Undef, |at| Value::Int(text[..at].chars().count() as i64)));
    }
    if let (Value::Str(text), Value::Regexp(regexp)) = (call.arg(0), wanted) {
        let found = regexp.compiled().ok().and_then(|r| r.find(&**text).ok().flatten().map(|m| m.start()));
        return Ok(found.map_or(Value::Undef, |at| Value::Int(text[..at].chars().count() as i64)));
    }
    let values: Vec<Value> = match elements(call, call.arg(0))? {
        Elements::List(list) => list,
        Elements::Hash(list) => list.into_iter().map(|(_, v)| v).collect(),
    };
    for (i, value) in values.iter().enumerate() {
        if crate::lang::puppet::eval::operator::equals(value, wanted) {
            return Ok(found(i));
        }
    }
    Ok(Value::Undef)
}
