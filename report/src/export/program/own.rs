//! Names of the program's own variables and functions: none that the model uses.

use std::collections::BTreeSet;

/// The identifiers of a model.
pub(super) struct Taken {
    words: BTreeSet<String>,
}

impl Taken {
    /// All words of the model's text.
    pub(super) fn of(text: &str) -> Self {
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        Self { words: words.map(str::to_owned).collect() }
    }
    /// Whether it is a word of the model's text.
    pub(super) fn has(&self, name: &str) -> bool {
        self.words.contains(name)
    }
    /// The name, or a longer one where the model has something of that name.
    pub(super) fn own(&self, name: &str) -> String {
        if self.words.contains(name) { format!("chaincover_{name}") } else { name.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::Taken;

    #[test]
    fn names_of_the_model_are_left_to_it() {
        let taken = Taken::of("int step; void model_step(int wrong) { step_2(); }");
        let table = [
            ("step", "chaincover_step"),
            ("model_step", "chaincover_model_step"),
            ("wrong", "chaincover_wrong"),
            ("set_inputs", "set_inputs"),
        ];
        for (name, expected) in table {
            assert_eq!(taken.own(name), expected);
        }
    }
}
