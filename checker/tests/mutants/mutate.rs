//! Changes of texts of lines of words.

use super::random::Random;

/// The text after a few changes; some of them take lines or words from the donor.
pub(crate) fn mutated(text: &str, donor: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let donated: Vec<&str> = donor.lines().collect();
    for _ in 0..1 + random.below(3) {
        if random.below(3) == 0 {
            change_lines(&mut lines, &donated, random);
        } else {
            change_words(&mut lines, &donated, random);
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn change_lines(lines: &mut Vec<String>, donated: &[&str], random: &mut Random) {
    let count = lines.len();
    if count == 0 {
        lines.extend(donated.iter().map(|line| (*line).to_owned()));
        return;
    }
    let (here, there) = (random.index(count), random.index(count));
    match random.below(8) {
        0 => drop(lines.remove(here)),
        1 => lines.insert(there, lines[here].clone()),
        2 => lines.swap(here, there),
        3 => {
            let moved = lines.remove(here);
            lines.insert(there.min(count - 1), moved);
        }
        4 => lines.truncate(here),
        5 if !donated.is_empty() => lines.insert(here, (*random.of(donated)).to_owned()),
        6 if !donated.is_empty() => {
            lines.truncate(here);
            lines.extend(donated[random.index(donated.len())..].iter().map(|line| (*line).to_owned()));
        }
        _ => {
            // A block again, as a section that is there twice.
            let (first, last) = (here.min(there), here.max(there));
            let block = lines[first..=last].to_vec();
            lines.splice(last + 1..last + 1, block);
        }
    }
}

fn change_words(lines: &mut [String], donated: &[&str], random: &mut Random) {
    if lines.is_empty() {
        return;
    }
    let place = random.index(lines.len());
    let other = random.index(lines.len());
    let mut words: Vec<String> = lines[place].split(' ').map(str::to_owned).collect();
    let (here, there) = (random.index(words.len()), random.index(words.len()));
    match random.below(8) {
        0 => drop(words.remove(here)),
        1 => words.insert(there, words[here].clone()),
        2 => words.swap(here, there),
        3 => {
            let from: Vec<&str> = lines[other].split(' ').collect();
            words[here] = (*random.of(&from)).to_owned();
        }
        4 if !donated.is_empty() => {
            let from: Vec<&str> = random.of(donated).split(' ').collect();
            words[here] = (*random.of(&from)).to_owned();
        }
        _ => words[here] = changed_word(&words[here], random),
    }
    lines[place] = words.join(" ");
}

/// Another number, or other marks.
fn changed_word(word: &str, random: &mut Random) -> String {
    if ["i", "e", "ie", "-"].contains(&word) {
        return (*random.of(&["i", "e", "ie", "-", "ei"])).to_owned();
    }
    let Ok(number) = word.parse::<i128>() else {
        return random.below(4).to_string();
    };
    let changed = match random.below(9) {
        0 | 1 => number + 1,
        2 | 3 => number - 1,
        4 => -number,
        // Another name of the same value where only some bits are looked at.
        5 => number + (1 << random.below(6)),
        6 => i128::from(random.below(5)),
        7 => number * 2,
        _ => *random.of(&[
            i128::from(u64::MAX),
            i128::from(u32::MAX),
            i128::from(i64::MAX),
            i128::from(i64::MIN),
            i128::from(i32::MAX),
            1 << 63,
            1 << 32,
        ]),
    };
    changed.to_string()
}

/// A bound that may have been raised.
pub(crate) fn raised(bound: u64, random: &mut Random) -> u64 {
    match random.below(6) {
        0..=2 => bound.saturating_add(1),
        3 => bound.saturating_add(random.below(10)),
        4 => bound,
        _ => *random.of(&[u64::MAX, u64::MAX / 2, 1 << 32, 1 << 24, 1_000_000]),
    }
}
