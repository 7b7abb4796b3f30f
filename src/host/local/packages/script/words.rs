//! The words of a shell script: text, variables, and commands within commands, as far as they can be told without running.

/// One word, or what parts words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    /// A word that is the target of `>` and its like.
    Into(Word),
    /// What is read from, or a copy of an open file: nothing is written.
    From,
    /// `;`, `&`, `|`, a line's end.
    End,
    /// `;;`, which ends a branch of a `case`.
    BranchEnd,
    Open,
    Close,
}

/// A word in its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    pub parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Text(String),
    /// A star or its like: any names.
    Glob,
    Variable(String),
    /// What a command writes that stands within the word.
    Output(String),
    /// What nobody knows before it runs.
    Opaque,
}

impl Word {
    /// The text, where that is all there is.
    pub fn text(&self) -> Option<String> {
        let mut whole = String::new();
        for part in &self.parts {
            let Part::Text(text) = part else { return None };
            whole.push_str(text);
        }
        Some(whole)
    }

    fn push(&mut self, c: char) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push(c),
            _ => self.parts.push(Part::Text(c.into())),
        }
    }
}

/// Parts a script into words. `inner` gets the texts of commands that stand within words. `None` where it is written in
/// a way that is not read here.
pub(super) fn tokens(script: &str, inner: &mut Vec<String>) -> Option<Vec<Token>> {
    let mut lexer = Lexer { text: script.chars().collect(), at: 0, inner, tokens: Vec::new(), documents: Vec::new() };
    lexer.run()?;
    Some(lexer.tokens)
}

struct Lexer<'a> {
    text: Vec<char>,
    at: usize,
    inner: &'a mut Vec<String>,
    tokens: Vec<Token>,
    /// The ends of documents that begin with the next line, and whether tabs before them are left out.
    documents: Vec<(String, bool)>,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn starts(&self, with: &str) -> bool {
        with.chars().enumerate().all(|(offset, c)| self.text.get(self.at + offset) == Some(&c))
    }

    fn run(&mut self) -> Option<()> {
        while let Some(c) = self.peek() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.tokens.push(Token::End);
                    self.skip_documents()?;
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '\\' if self.starts("\\\n") => self.at += 2,
                '#' => self.skip_line(),
                ';' if self.starts(";;") => {
                    self.at += 2;
                    self.tokens.push(Token::BranchEnd);
                }
                ';' | '|' => self.punctuation(Token::End),
                '&' if self.starts("&>") => self.redirection()?,
                '&' => self.punctuation(Token::End),
                '(' => self.punctuation(Token::Open),
                ')' => self.punctuation(Token::Close),
                '<' | '>' => self.redirection()?,
                _ => {
                    let word = self.word()?;
                    // A number right before a redirection says which output.
                    let is_number = word.text().is_some_and(|text| text.chars().all(|c| c.is_ascii_digit()));
                    if !(is_number && matches!(self.peek(), Some('<' | '>'))) {
                        self.tokens.push(Token::Word(word));
                    }
                }
            }
        }
        Some(())
    }

    fn punctuation(&mut self, token: Token) {
        self.at += 1;
        self.tokens.push(token);
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    fn redirection(&mut self) -> Option<()> {
        let mut operator = String::new();
        while let Some(c) = self.peek().filter(|c| "<>&|-".contains(*c)) {
            // `>-` is a file of that name.
            if c == '-' && operator != "<<" {
                break;
            }
            operator.push(c);
            self.at += 1;
        }
        while matches!(self.peek(), Some(' ' | '\t')) {
            self.at += 1;
        }
        let target = self.word()?;
        match operator.as_str() {
            "<<" | "<<-" => {
                self.documents.push((target.text()?, operator == "<<-"));
                self.tokens.push(Token::From);
            }
            "<" | "<&" => self.tokens.push(Token::From),
            ">&" if target.text().is_some_and(|text| text == "-" || text.chars().all(|c| c.is_ascii_digit())) => {
                self.tokens.push(Token::From);
            }
            ">" | ">>" | ">|" | ">&" | "&>" | "&>>" | "<>" => self.tokens.push(Token::Into(target)),
            _ => return None,
        }
        Some(())
    }

    /// Documents are text; one that holds commands is not read.
    fn skip_documents(&mut self) -> Option<()> {
        for (end, is_tabbed) in std::mem::take(&mut self.documents) {
            loop {
                let start = self.at;
                self.skip_line();
                let line: String = self.text[start..self.at].iter().collect();
                let is_over = self.peek().is_none();
                self.at += usize::from(!is_over);
                let line = if is_tabbed { line.trim_start_matches('\t') } else { &line };
                if line == end {
                    break;
                }
                if is_over || line.contains("$(") || line.contains('`') {
                    return None;
                }
            }
        }
        Some(())
    }

    fn word(&mut self) -> Option<Word> {
        let mut word = Word::default();
        let begin = self.at;
        while let Some(c) = self.peek() {
            match c {
                ' ' | '\t' | '\r' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                '\'' => {
                    self.at += 1;
                    let end = self.text[self.at..].iter().position(|c| *c == '\'')?;
                    word.parts.push(Part::Text(self.text[self.at..self.at + end].iter().collect()));
                    self.at += end + 1;
                }
                '"' => self.quoted(&mut word)?,
                '\\' => {
                    self.at += 1;
                    match self.peek()? {
                        '\n' => {}
                        c => word.push(c),
                    }
                    self.at += 1;
                }
                '$' | '`' => self.expansion(&mut word)?,
                '*' | '?' | '[' if self.at > begin || self.text.get(self.at + 1).is_some_and(|c| *c != ' ') => {
                    word.parts.push(Part::Glob);
                    self.at += 1;
                }
                '~' if self.at == begin => {
                    word.parts.push(Part::Opaque);
                    self.at += 1;
                }
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
        (self.at > begin).then_some(word)
    }

    fn quoted(&mut self, word: &mut Word) -> Option<()> {
        self.at += 1;
        word.parts.push(Part::Text(String::new()));
        loop {
            match self.peek()? {
                '"' => break,
                '\\' => {
                    let escaped = *self.text.get(self.at + 1)?;
                    if !"$`\"\\\n".contains(escaped) {
                        word.push('\\');
                    }
                    if escaped != '\n' {
                        word.push(escaped);
                    }
                    self.at += 2;
                }
                '$' | '`' => self.expansion(word)?,
                c => {
                    word.push(c);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        Some(())
    }

    /// Reads what begins with `$`, or a command in backquotes.
    fn expansion(&mut self, word: &mut Word) -> Option<()> {
        if self.peek() == Some('`') {
            let start = self.at + 1;
            let length = self.text.get(start..)?.iter().position(|c| *c == '`')?;
            let text: String = self.text[start..start + length].iter().collect();
            self.inner.push(text.clone());
            self.at = start + length + 1;
            word.parts.push(Part::Output(text));
            return Some(());
        }
        self.at += 1;
        match self.peek() {
            Some('(') => {
                let text = self.balanced('(', ')')?;
                // Sums run nothing, unless they hold a command.
                let is_sum = text.starts_with('(') && text.ends_with(')');
                if !is_sum {
                    self.inner.push(text.clone());
                    word.parts.push(Part::Output(text));
                } else if text.contains("$(") || text.contains('`') {
                    return None;
                } else {
                    word.parts.push(Part::Opaque);
                }
            }
            Some('{') => {
                let text = self.balanced('{', '}')?;
                if text.contains("$(") || text.contains('`') {
                    return None;
                }
                word.parts.push(variable(&text));
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let start = self.at;
                while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
                    self.at += 1;
                }
                word.parts.push(Part::Variable(self.text[start..self.at].iter().collect()));
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                word.parts.push(Part::Variable(c.into()));
            }
            _ => word.push('$'),
        }
        Some(())
    }

    /// What stands between a bracket and its other end, which quotes and comments do not count towards.
    fn balanced(&mut self, open: char, close: char) -> Option<String> {
        let start = self.at + 1;
        let mut depth = 0_u32;
        let mut quote = None;
        loop {
            let c = self.peek()?;
            match (quote, c) {
                (_, '\\') if quote != Some('\'') => self.at += 1,
                (Some(inside), c) if c == inside => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, c) if c == open => depth += 1,
                (None, c) if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        let text = self.text[start..self.at].iter().collect();
                        self.at += 1;
                        return Some(text);
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

/// What `${…}` stands for. The folder that dpkg installs into is the root folder here, so its name is empty.
fn variable(text: &str) -> Part {
    const ROOT: &str = "DPKG_ROOT";
    if text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Part::Variable(text.into());
    }
    match text.strip_prefix(ROOT) {
        Some(rest) if rest.starts_with([':', '+', '-']) && !rest.contains('$') => {
            let rest = rest.trim_start_matches(':');
            let instead = rest.strip_prefix('-').unwrap_or_default();
            Part::Text(if rest.starts_with('+') { String::new() } else { instead.into() })
        }
        // Whatever stands there instead, it is put in place of the set text as a whole.
        Some(rest) if rest.starts_with(":+") => Part::Text(String::new()),
        _ => Part::Opaque,
    }
}
