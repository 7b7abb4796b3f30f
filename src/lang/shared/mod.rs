//! What several languages need and none owns: texts of numbers, addresses, names of days, the word under the cursor.
//!
//! Deliberately absent: lexers, parsers and formatters, which differ in every rule.

pub mod address;
pub mod calendar;
pub mod printf;
pub mod texts;
pub mod words;
