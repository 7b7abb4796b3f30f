//! The schema of `test`: one parameter of each type, for trying the language out.

use super::FieldType::{Any, Bool, Float, Func, Map, Str, Struct};
use super::{FieldType, Schema, optional, param};

pub(super) const TEST: Schema = Schema::new(
    "test",
    "Takes a value of each type and changes nothing; for trying the language.",
    &[
        param("bool", Bool, "A boolean."),
        param("str", Str, "A string."),
        param("int", FieldType::INT, "A whole number."),
        param("int8", FieldType::I8, "A whole number of 8 bits."),
        param("int16", FieldType::I16, "A whole number of 16 bits."),
        param("int32", FieldType::I32, "A whole number of 32 bits."),
        param("int64", FieldType::INT, "A whole number of 64 bits."),
        param("uint", FieldType::U64, "A whole number from 0."),
        param("uint8", FieldType::U8, "A whole number of 8 bits from 0."),
        param("uint16", FieldType::U16, "A whole number of 16 bits from 0."),
        param("uint32", FieldType::U32, "A whole number of 32 bits from 0."),
        param("uint64", FieldType::U64, "A whole number of 64 bits from 0."),
        param("byte", FieldType::U8, "A byte."),
        param("rune", FieldType::I32, "A character as a number."),
        param("float32", Float, "A number of 32 bits."),
        param("float64", Float, "A number of 64 bits."),
        optional("boolptr", Bool, "A boolean that may be missing."),
        optional("stringptr", Str, "A string that may be missing."),
        optional("int64ptr", FieldType::INT, "A whole number of 64 bits that may be missing."),
        optional("int8ptr", FieldType::I8, "A whole number of 8 bits that may be missing."),
        optional("uint8ptr", FieldType::U8, "A whole number of 8 bits from 0 that may be missing."),
        optional("int8ptrptrptr", FieldType::I8, "A whole number of 8 bits that may be missing thrice."),
        param("slicestring", FieldType::STRS, "A list of strings."),
        param("mapintfloat", Map(&FieldType::INT, &Float), "A map of numbers by whole numbers."),
        param(
            "mixedstruct",
            Struct(&[("somebool", Bool), ("somestr", Str), ("someint", FieldType::INT), ("somefloat", Float)]),
            "A struct of several types.",
        ),
        param("interface", Any, "A value of any type."),
        param("anotherstr", Str, "Another string."),
        param("func1", Func(&[FieldType::INT], &Str), "A function."),
        param("validatebool", Bool, "Makes validation fail."),
        param("validateerror", Str, "Makes validation fail with this text."),
        param("alwaysgroup", Bool, "Groups with any other such resource."),
        param("comparefail", Bool, "Differs from any other resource."),
        param("sendvalue", Str, "Sent as `hello`."),
        optional("expectrecv", FieldType::STRS, "The parameters that must have received."),
        param("onlyshow", FieldType::STRS, "The parameters that are shown."),
        param("waitforerror", FieldType::INT, "Milliseconds after which it fails."),
        param("comment", Str, "A comment."),
    ],
)
.autogroup()
.refresh()
.sends(&[("hello", Str), ("answer", FieldType::INT)])
.receives();
