//! What pictures have in common: arrows between the vertices of a graph.

/// A bent arrow between two round vertices: bent to one side, so that two opposite arrows stay
/// apart.
pub(crate) struct Bend {
    /// Where it leaves the first vertex.
    pub(crate) from: (f64, f64),
    /// The control point of the curve.
    pub(crate) control: (f64, f64),
    /// Where it meets the second vertex.
    pub(crate) to: (f64, f64),
    /// Where its text stands: at the bend.
    pub(crate) label: (f64, f64),
}

impl Bend {
    /// The arrow between vertices with these centres and this radius.
    pub(crate) fn between(from: (f64, f64), to: (f64, f64), radius: f64) -> Self {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy).max(1.0);
        let (ux, uy) = (dx / length, dy / length);
        let bend = 0.12 * length;
        let control = (from.0 + dx / 2.0 - uy * bend, from.1 + dy / 2.0 + ux * bend);
        let (x1, y1) = (from.0 + ux * radius, from.1 + uy * radius);
        let (x2, y2) = (to.0 - ux * radius, to.1 - uy * radius);
        let label = ((x1 + 2.0 * control.0 + x2) / 4.0, (y1 + 2.0 * control.1 + y2) / 4.0);
        Self { from: (x1, y1), control, to: (x2, y2), label }
    }
}
