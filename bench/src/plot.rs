//! Line charts as SVG: just what the benchmark plots need.

use chaincover::markup::escaped;
use std::fmt::Write;

/// One axis.
#[derive(Clone, Copy, Debug)]
pub struct Axis<'a> {
    /// What is measured, with its unit.
    pub label: &'a str,
    /// Whether distances stand for ratios.
    pub logarithmic: bool,
}

/// A line with a name in the legend.
#[derive(Clone, Debug)]
pub struct Line {
    /// The name.
    pub name: String,
    /// The points, by ascending x.
    pub points: Vec<(f64, f64)>,
}

/// A chart.
#[derive(Clone, Debug)]
pub struct Plot<'a> {
    /// Stands above it.
    pub title: &'a str,
    /// The horizontal axis.
    pub x: Axis<'a>,
    /// The vertical axis.
    pub y: Axis<'a>,
    /// The lines.
    pub lines: Vec<Line>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;

/// Distinguishable also for most colour-blind readers (P. Tol's "muted" scheme and black).
const COLOURS: [&str; 10] = [
    "#000000", "#cc6677", "#332288", "#117733", "#88ccee", "#882255", "#999933", "#44aa99", "#aa4499",
    "#ddaa33",
];

/// The values an axis spans and where they lie.
struct Scale {
    low: f64,
    high: f64,
    logarithmic: bool,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, logarithmic: bool, from: f64, to: f64) -> Self {
        let values: Vec<f64> = values.filter(|&value| !logarithmic || value > 0.0).collect();
        let high = values.iter().copied().fold(f64::MIN, f64::max);
        let low = if logarithmic { values.iter().copied().fold(f64::MAX, f64::min) } else { 0.0 };
        let (low, high) = if values.is_empty() { (1.0, 10.0) } else { (low, high) };
        let (low, high) = match logarithmic {
            true => (10f64.powf(low.log10().floor()), 10f64.powf((high * 1.0001).log10().ceil())),
            false => (low, if high > low { high } else { low + 1.0 }),
        };
        Self { low, high, logarithmic, from, to }
    }

    fn place(&self, value: f64) -> f64 {
        let share = match self.logarithmic {
            true => (value.max(self.low) / self.low).log10() / (self.high / self.low).log10(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            let decades = (self.high / self.low).log10().round() as i32;
            return (0..=decades).map(|decade| self.low * 10f64.powi(decade)).collect();
        }
        let rough = (self.high - self.low) / 5.0;
        let unit = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|factor| factor * unit).find(|&step| step >= rough);
        let step = step.unwrap_or(10.0 * unit);
        (0..=20).map(|tick| f64::from(tick) * step).filter(|&tick| tick <= self.high * 1.0001).collect()
    }
}

/// The chart as a complete SVG document.
pub fn svg(plot: &Plot<'_>) -> String {
    let points = || plot.lines.iter().flat_map(|line| line.points.iter().copied());
    let x = Scale::new(points().map(|(x, _)| x), plot.x.logarithmic, LEFT, WIDTH - RIGHT);
    let y = Scale::new(points().map(|(_, y)| y), plot.y.logarithmic, HEIGHT - BOTTOM, TOP);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"22\" font-size=\"15\">{}</text>\n",
        escaped(plot.title)
    );
    axes(&mut text, plot, &x, &y);
    for (number, line) in plot.lines.iter().enumerate() {
        draw(&mut text, line, COLOURS[number % COLOURS.len()], &x, &y);
        let (at, colour) = (TOP + 18.0 * number as f64, COLOURS[number % COLOURS.len()]);
        let start = WIDTH - RIGHT + 12.0;
        let _ = writeln!(
            text,
            "<line x1=\"{start}\" y1=\"{at}\" x2=\"{}\" y2=\"{at}\" stroke=\"{colour}\" stroke-width=\"2\"/><text x=\"{}\" y=\"{}\">{}</text>",
            start + 20.0,
            start + 26.0,
            at + 4.0,
            escaped(&line.name)
        );
    }
    text + "</svg>\n"
}

fn axes(text: &mut String, plot: &Plot<'_>, x: &Scale, y: &Scale) {
    for tick in x.ticks() {
        let at = x.place(tick);
        let _ = writeln!(
            text,
            "<line x1=\"{at:.1}\" y1=\"{TOP}\" x2=\"{at:.1}\" y2=\"{}\" stroke=\"#dddddd\"/><text x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - BOTTOM,
            HEIGHT - BOTTOM + 16.0,
            number(tick)
        );
    }
    for tick in y.ticks() {
        let at = y.place(tick);
        let _ = writeln!(
            text,
            "<line x1=\"{LEFT}\" y1=\"{at:.1}\" x2=\"{}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0,
            number(tick)
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n<text transform=\"translate(16 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        (LEFT + WIDTH - RIGHT) / 2.0,
        HEIGHT - 12.0,
        escaped(plot.x.label),
        (TOP + HEIGHT - BOTTOM) / 2.0,
        escaped(plot.y.label)
    );
}

fn draw(text: &mut String, line: &Line, colour: &str, x: &Scale, y: &Scale) {
    let places: Vec<String> =
        line.points.iter().map(|&(px, py)| format!("{:.1},{:.1}", x.place(px), y.place(py))).collect();
    let _ = writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
        places.join(" ")
    );
    for place in &places {
        if let Some((x, y)) = place.split_once(',') {
            let _ = writeln!(text, "<circle cx=\"{x}\" cy=\"{y}\" r=\"2.5\" fill=\"{colour}\"/>");
        }
    }
}

/// Short: `10000` rather than `1e4`, `0.001` rather than `1e-3`.
fn number(value: f64) -> String {
    if value == 0.0 || (0.001..1e6).contains(&value) {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(logarithmic: bool) -> Axis<'static> {
        Axis { label: "x < y", logarithmic }
    }

    #[test]
    fn points_lie_inside_the_axes() {
        for logarithmic in [false, true] {
            let scale = Scale::new([0.5, 3.0, 700.0].into_iter(), logarithmic, 10.0, 110.0);
            for value in [0.5, 3.0, 700.0].into_iter().chain(scale.ticks()) {
                assert!((9.9..=110.1).contains(&scale.place(value)), "{value} at {}", scale.place(value));
            }
            assert!((4..=8).contains(&scale.ticks().len()), "{:?}", scale.ticks());
        }
    }

    #[test]
    fn a_plot_is_well_formed() {
        let line = |name: &str| Line { name: name.to_owned(), points: vec![(1.0, 2.0), (3.0, 0.0)] };
        let plot =
            Plot { title: "a & b", x: axis(false), y: axis(true), lines: vec![line("one"), line("<two>")] };
        let text = svg(&plot);
        assert!(text.contains("a &amp; b") && text.contains("&lt;two&gt;") && text.contains("x &lt; y"));
        assert_eq!(text.matches("<polyline").count(), 2);
        assert_eq!(text.matches('<').count(), text.matches('>').count());
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        let empty = svg(&Plot { lines: Vec::new(), ..plot });
        assert!(!empty.contains("NaN") && !empty.contains("inf"), "{empty}");
    }
}
