//! A stroke font: each letter is a few polylines, from which distance fields are computed.
//!
//! A letter's box is 4 wide and 6 high with the origin at its lower left corner; y grows upwards. A
//! stroke is a list of points `xy` of one digit each, joined by lines or, after a `~`, control
//! points of a quadratic B-spline.

/// Letters with their strokes.
const STROKES: &[(char, &str)] = &[
    ('A', "002640 1232"),
    ('B', "0006 0626 ~26464323 2303 ~23434020 2000"),
    ('C', "~453606003041"),
    ('D', "0006 0616 ~16464010 1000"),
    ('E', "46060040 0333"),
    ('F', "460600 0333"),
    ('G', "~45360600304042 4222"),
    ('H', "0006 4046 0343"),
    ('I', "2026 1030 1636"),
    ('J', "4642 ~42400001"),
    ('K', "0006 4602 1340"),
    ('L', "060040"),
    ('M', "0006234640"),
    ('N', "00064046"),
    ('O', "~260600404626"),
    ('P', "0006 0626 ~26464323 2303"),
    ('Q', "~260600404626 2240"),
    ('R', "0006 0626 ~26464323 2303 2340"),
    ('S', "~4546060343400001"),
    ('T', "2026 0646"),
    ('U', "0602 ~02004042 4246"),
    ('V', "062046"),
    ('W', "0610233046"),
    ('X', "0046 0640"),
    ('Y', "062346 2320"),
    ('Z', "06460040"),
    ('0', "~260600404626 1234"),
    ('1', "052620 1030"),
    ('2', "~0506464300 0040"),
    ('3', "~0506464323 ~2343400001"),
    ('4', "30360242"),
    ('5', "460603 0323 ~23434020 ~200001"),
    ('6', "~4546060020 ~20404323 ~230302"),
    ('7', "064610"),
    ('8', "~26060323 ~23434626 ~23030020 ~20404323"),
    ('9', "~0100404626 ~26060323 ~234344"),
    ('.', "2020"),
    (',', "2110"),
    ('-', "1333"),
    ('+', "1333 2224"),
    ('/', "0046"),
    (':', "2121 2424"),
    ('!', "2622 2020"),
    ('?', "~0506464323 2322 2020"),
    ('>', "113315"),
];

/// A polyline.
type Line = Vec<[f32; 2]>;

/// The parsed letters.
pub struct Font {
    letters: Vec<(char, Vec<Line>)>,
}

impl Default for Font {
    fn default() -> Self {
        Self::new()
    }
}

impl Font {
    /// Parses the strokes.
    pub fn new() -> Self {
        let letters = STROKES.iter().map(|(c, text)| (*c, parse(text)));
        Font {
            letters: letters.collect(),
        }
    }

    /// All letters of the font.
    pub fn letters(&self) -> impl Iterator<Item = char> {
        self.letters.iter().map(|letter| letter.0)
    }

    /// Distance of a point from a letter's strokes, in font units; `f32::MAX` if the font has no
    /// such letter.
    pub fn distance(&self, letter: char, point: [f32; 2]) -> f32 {
        let found = self.letters.iter().find(|l| l.0 == letter);
        let lines = found.map_or(&[][..], |letter| &letter.1);
        lines
            .iter()
            .flat_map(|line| line.windows(2))
            .map(|ends| to_segment(point, ends[0], ends[1]))
            .fold(f32::MAX, f32::min)
    }
}

fn parse(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut smooth = false;
    let mut points: Line = Vec::new();
    let mut pending: Option<f32> = None;
    for c in text.chars().chain([' ']) {
        match c {
            ' ' | '~' => {
                if !points.is_empty() {
                    lines.push(if smooth {
                        curve(&points)
                    } else {
                        points.clone()
                    });
                }
                points.clear();
                smooth = c == '~';
            }
            digit => {
                let value = digit.to_digit(10).unwrap_or_default() as f32;
                match pending.take() {
                    Some(x) => points.push([x, value]),
                    None => pending = Some(value),
                }
            }
        }
    }
    lines
}

/// A quadratic B-spline from the first point to the last, as a polyline.
fn curve(points: &[[f32; 2]]) -> Line {
    let middle = |a: [f32; 2], b: [f32; 2]| [(a[0] + b[0]) / 2.0, (a[1] + b[1]) / 2.0];
    let mut line = vec![points[0]];
    for i in 1..points.len().saturating_sub(1) {
        let from = if i == 1 {
            points[0]
        } else {
            middle(points[i - 1], points[i])
        };
        let to = match i + 2 == points.len() {
            true => points[i + 1],
            false => middle(points[i], points[i + 1]),
        };
        for step in 1..=8 {
            let t = step as f32 / 8.0;
            let part = |axis: usize| {
                let s = 1.0 - t;
                s * s * from[axis] + 2.0 * s * t * points[i][axis] + t * t * to[axis]
            };
            line.push([part(0), part(1)]);
        }
    }
    if points.len() == 2 {
        line.push(points[1]);
    }
    line
}

fn to_segment(p: [f32; 2], a: [f32; 2], b: [f32; 2]) -> f32 {
    let (along, to) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length = along[0] * along[0] + along[1] * along[1];
    let t = match length > 0.0 {
        true => ((to[0] * along[0] + to[1] * along[1]) / length).clamp(0.0, 1.0),
        false => 0.0,
    };
    let off = [to[0] - t * along[0], to[1] - t * along[1]];
    (off[0] * off[0] + off[1] * off[1]).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_stays_in_its_box() {
        for (letter, lines) in Font::new().letters {
            assert!(!lines.is_empty(), "{letter}");
            for [x, y] in lines.into_iter().flatten() {
                assert!(
                    (0.0..=4.0).contains(&x) && (0.0..=6.0).contains(&y),
                    "{letter}"
                );
            }
        }
    }

    #[test]
    fn distances_are_from_the_nearest_stroke() {
        let font = Font::new();
        assert_eq!(font.distance('L', [0.0, 3.0]), 0.0);
        assert_eq!(font.distance('L', [1.0, 3.0]), 1.0);
        assert_eq!(font.distance('L', [4.0, 3.0]), 3.0);
        assert_eq!(font.distance('@', [0.0, 0.0]), f32::MAX);
    }

    #[test]
    fn strokes_have_whole_points() {
        for (letter, text) in STROKES {
            for stroke in text.split([' ', '~']) {
                assert!(stroke.len().is_multiple_of(2), "{letter}: {stroke}");
            }
        }
    }
}
