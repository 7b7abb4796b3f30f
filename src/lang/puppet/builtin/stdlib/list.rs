//! Functions over arrays.

use super::{Function, Unknown, array, ruby, wrong};
use crate::lang::puppet::call::Call;
use crate::lang::puppet::eval::{Evaluator, operator};
use crate::lang::puppet::stop::{Help, Run};
use crate::lang::puppet::unknown;
use crate::lang::puppet::value::Value;
use crate::lang::ruby::sort;

pub(super) const FUNCTIONS: &[Function] = &[
    Function {
        name: "any2array",
        signature: "any2array(Any *values)",
        doc: "The values as an array; of a hash its keys and values one after another.",
        examples: &[("any2array({'a' => 1})", "['a', 1]")],
        unknown: Unknown::Arranges,
        call: any2array,
        ..Function::PLAIN
    },
    Function {
        name: "concat",
        signature: "concat(Array list, Any *more)",
        doc: "The array with the elements of others, and single values, at its end.",
        examples: &[("concat(['a'], 'b', ['c'])", "['a', 'b', 'c']")],
        unknown: Unknown::Arranges,
        call: concat,
        ..Function::PLAIN
    },
    Function {
        name: "prefix",
        signature: "prefix(Variant[Array, Hash] collection, Optional[String] prefix)",
        doc: "The elements, or the keys, with a text before each.",
        examples: &[("prefix(['a', 'b'], 'p')", "['pa', 'pb']")],
        unknown: Unknown::Arranges,
        call: |_, c| affix(c, |text, more| format!("{more}{text}")),
        ..Function::PLAIN
    },
    Function {
        name: "suffix",
        signature: "suffix(Variant[Array, Hash] collection, Optional[String] suffix)",
        doc: "The elements, or the keys, with a text behind each.",
        examples: &[("suffix(['a', 'b'], 'p')", "['ap', 'bp']")],
        unknown: Unknown::Arranges,
        call: |_, c| affix(c, |text, more| format!("{text}{more}")),
        ..Function::PLAIN
    },
    Function {
        name: "range",
        signature: "range(Variant[String, Integer] start, Optional[Variant[String, Integer]] stop, Optional[Integer] step)",
        doc: "All numbers or texts from one to another.",
        examples: &[("range('host08', 'host10')", "['host08', 'host09', 'host10']")],
        call: range,
        ..Function::PLAIN
    },
    Function {
        name: "stdlib::sort_by",
        signature: "stdlib::sort_by(Variant[Array, String, Hash] value)",
        doc: "The elements in the order of what the lambda gives for them.",
        examples: &[("stdlib::sort_by(['bb', 'a']) |$t| { $t.length }", "['a', 'bb']")],
        call: sort_by,
        ..Function::PLAIN
    },
];

/// As many elements as one range may have.
const MOST: usize = 1_000_000;

fn any2array(_: &mut Evaluator<'_>, call: &Call) -> Run {
    Ok(match &call.args[..] {
        [list @ Value::Array(_)] => list.clone(),
        [Value::Str(text)] if text.is_empty() => Value::array(Vec::new()),
        [Value::Hash(map)] => Value::array(map.iter().flat_map(|(k, v)| [k.clone(), v.clone()]).collect()),
        args => Value::array(args.to_vec()),
    })
}

fn concat(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(2, usize::MAX)?;
    let mut out = array(call, 0)?.to_vec();
    for more in &call.args[1..] {
        match more {
            Value::Array(list) => out.extend(list.iter().cloned()),
            other => out.push(other.clone()),
        }
    }
    Ok(Value::array(out))
}

fn affix(call: &Call, join: fn(&str, &str) -> String) -> Run {
    call.between(1, usize::MAX)?;
    let more = match call.args.get(1) {
        None | Some(Value::Undef | Value::Bool(false)) => "",
        Some(Value::Str(more)) => &**more,
        Some(other) => return wrong(call, 1, "a String", other),
    };
    let joined = |value: &Value| unknown::text(join(&ruby::text(value), more), unknown::is_in(value));
    match call.arg(0) {
        Value::Array(list) => Ok(Value::array(list.iter().map(joined).collect())),
        Value::Hash(map) => Ok(Value::hash(map.iter().map(|(k, v)| (joined(k), v.clone())).collect())),
        other => wrong(call, 0, "an Array or a Hash", other),
    }
}

fn range(_: &mut Evaluator<'_>, call: &Call) -> Run {
    call.between(1, 3)?;
    let (start, stop, step, excludes) = match &call.args[..] {
        [Value::Str(text)] => match written_range(text) {
            Some((start, stop, excludes)) => (Value::str(start), Value::str(stop), 1, excludes),
            None => return call.fail(format!("range(): '{text}' is not a range such as 'a..c' or '1-3'")),
        },
        [other] => return wrong(call, 0, "a String", other),
        [start, stop, rest @ ..] => {
            let step = rest.first().map_or(Some(1), ruby::integer).unwrap_or(0).unsigned_abs();
            (start.clone(), stop.clone(), usize::try_from(step).unwrap_or(usize::MAX), false)
        }
        [] => return call.fail("range(): a start is needed"),
    };
    if step == 0 {
        return call.fail("range(): the step has to be an integer that is not 0");
    }
    let first = ruby::text(&start);
    if !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit()) {
        let (Some(a), Some(b)) = (ruby::integer(&start), ruby::integer(&stop)) else {
            return wrong(call, 1, "a number of 64 bits", &stop);
        };
        let Some(b) = (if excludes { b.checked_sub(1) } else { Some(b) }) else { return Ok(Value::array(Vec::new())) };
        if b.abs_diff(a) / step as u64 >= MOST as u64 && a <= b {
            return too_many(call);
        }
        return Ok(Value::array((a..=b).step_by(step).map(Value::Int).collect()));
    }
    let Some(all) = ruby::upto(&first, &ruby::text(&stop), excludes, MOST) else { return too_many(call) };
    Ok(Value::array(all.into_iter().step_by(step).map(Value::str).collect()))
}

fn too_many<V>(call: &Call) -> Run<V> {
    call.fail(format!("{}(): a range of more than {MOST} elements", call.name)).help("iterate over a smaller range")
}

/// `a..b`, `a...b` or `a-b`, and whether the end is left out.
fn written_range(text: &str) -> Option<(&str, &str, bool)> {
    let word = |t: &str| !t.is_empty() && t.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let signs = [("...", true), ("..", false), ("-", false)];
    signs.iter().find_map(|(sign, excludes)| {
        let (start, stop) = text.split_once(sign)?;
        (word(start) && word(stop)).then_some((start, stop, *excludes))
    })
}

fn sort_by(e: &mut Evaluator<'_>, call: &Call) -> Run {
    let block = call.needs_block()?;
    let items: Vec<Value> = match call.arg(0) {
        Value::Array(list) => list.to_vec(),
        Value::Str(text) => text.chars().map(|c| Value::str(c.to_string())).collect(),
        Value::Hash(map) => map.iter().map(|(k, v)| Value::array(vec![k.clone(), v.clone()])).collect(),
        other => return wrong(call, 0, "an Array, a String or a Hash", other),
    };
    let mut keyed = Vec::new();
    for item in items {
        let args = match &item {
            Value::Array(pair) if matches!(call.arg(0), Value::Hash(_)) && block.arity().0 == 2 => pair.to_vec(),
            _ => vec![item.clone()],
        };
        keyed.push((e.apply(&block, &args, call.span)?, item));
    }
    if keyed.iter().any(|(key, _)| unknown::is_in(key)) {
        return Ok(Value::Unknown(None));
    }
    let keyed = sort::sorted(keyed, |(a, _), (b, _)| match operator::ruby_order(a, b) {
        Some(order) => Ok(order),
        None => call.fail(format!("{}(): what the lambda gives cannot be compared", call.name)),
    })?;
    let sorted = keyed.into_iter().map(|(_, item)| item);
    Ok(match call.arg(0) {
        Value::Str(_) => Value::str(sorted.map(|v| ruby::text(&v)).collect::<String>()),
        Value::Hash(_) => {
            let pairs = sorted.filter_map(|v| match &v {
                Value::Array(pair) => Some((pair.first()?.clone(), pair.get(1)?.clone())),
                _ => None,
            });
            Value::hash(pairs.collect())
        }
        _ => Value::array(sorted.collect()),
    })
}
