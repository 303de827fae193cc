//! Types, layouts and values of buffers and push constants.

use crate::number;

/// Type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentType {
    /// Integer: bits, signed.
    Int(u32, bool),
    /// Float: bits.
    Float(u32),
}

impl ComponentType {
    /// Bytes of one component.
    pub fn size_bytes(self) -> usize {
        match self {
            ComponentType::Int(bits, _) | ComponentType::Float(bits) => bits as usize / 8,
        }
    }
}

/// A scalar, vector or matrix type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// Component type.
    pub base: ComponentType,
    /// Columns: 1 but for matrices.
    pub columns: usize,
    /// Rows, or components of a vector.
    pub rows: usize,
}

impl Type {
    /// The type with this GLSL name.
    pub fn from_name(name: &str) -> Option<Type> {
        const SCALARS: &[(&str, &str, ComponentType)] = &[
            ("int", "i", ComponentType::Int(32, true)),
            ("uint", "u", ComponentType::Int(32, false)),
            ("int8_t", "i8", ComponentType::Int(8, true)),
            ("uint8_t", "u8", ComponentType::Int(8, false)),
            ("int16_t", "i16", ComponentType::Int(16, true)),
            ("uint16_t", "u16", ComponentType::Int(16, false)),
            ("int64_t", "i64", ComponentType::Int(64, true)),
            ("uint64_t", "u64", ComponentType::Int(64, false)),
            ("float16_t", "f16", ComponentType::Float(16)),
            ("float", "", ComponentType::Float(32)),
            ("double", "d", ComponentType::Float(64)),
        ];
        let size = |text: &str| match text {
            "2" => Some(2),
            "3" => Some(3),
            "4" => Some(4),
            _ => None,
        };
        for &(scalar, prefix, base) in SCALARS {
            if name == scalar {
                return Some(Type {
                    base,
                    columns: 1,
                    rows: 1,
                });
            }
            let Some(rest) = name.strip_prefix(prefix) else {
                continue;
            };
            if let Some(rows) = rest.strip_prefix("vec").and_then(size) {
                return Some(Type {
                    base,
                    columns: 1,
                    rows,
                });
            }
            if !matches!(prefix, "" | "d") {
                continue;
            }
            if let Some(shape) = rest.strip_prefix("mat") {
                let (columns, rows) = shape.split_once('x').unwrap_or((shape, shape));
                return Some(Type {
                    base,
                    columns: size(columns)?,
                    rows: size(rows)?,
                });
            }
        }
        None
    }

    /// Components of one value.
    pub fn components(self) -> usize {
        self.columns * self.rows
    }
}

/// Memory layout rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// std140 rather than std430.
    pub std140: bool,
    /// Matrices are stored by rows.
    pub row_major: bool,
}

impl Layout {
    fn major_minor(self, ty: Type) -> (usize, usize) {
        if self.row_major && ty.columns > 1 {
            (ty.rows, ty.columns)
        } else {
            (ty.columns, ty.rows)
        }
    }

    /// Bytes between columns (rows, if row major).
    pub fn matrix_stride(self, ty: Type) -> usize {
        let minor = self.major_minor(ty).1;
        let base = ty.base.size_bytes() * if minor == 3 { 4 } else { minor };
        if self.std140 {
            base.next_multiple_of(16)
        } else {
            base
        }
    }

    /// Bytes between elements of an array.
    pub fn array_stride(self, ty: Type) -> usize {
        self.matrix_stride(ty) * self.major_minor(ty).0
    }

    /// Bytes of one value, without the padding after it.
    pub fn size_bytes(self, ty: Type) -> usize {
        let (major, minor) = self.major_minor(ty);
        (major - 1) * self.matrix_stride(ty) + minor * ty.base.size_bytes()
    }

    /// Byte offset of a component in a value.
    pub fn component_offset(self, ty: Type, column: usize, row: usize) -> usize {
        let stride = self.matrix_stride(ty);
        let size = ty.base.size_bytes();
        if self.row_major && ty.columns > 1 {
            row * stride + column * size
        } else {
            column * stride + row * size
        }
    }
}

/// Values of one type as a script lists them: bit patterns, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Type of each value.
    pub ty: Type,
    /// Bit patterns, `ty.components()` for each value.
    pub components: Vec<u64>,
}

impl Values {
    /// Parses white-space separated numbers to the end of `text`. `None` if one is malformed, or
    /// the list is empty or ends inside a value.
    pub fn parse(ty: Type, text: &str) -> Option<Values> {
        let mut components = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (bits, after) = match ty.base {
                ComponentType::Int(bits, signed) => number::integer(rest, bits, signed)?,
                ComponentType::Float(bits) => number::float(rest, bits)?,
            };
            if !after.is_empty() && !after.starts_with(char::is_whitespace) {
                return None;
            }
            components.push(bits);
            rest = after.trim_start();
        }
        let whole = !components.is_empty() && components.len().is_multiple_of(ty.components());
        whole.then_some(Values { ty, components })
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        self.components.len() / self.ty.components()
    }

    /// Bytes that the values take in memory.
    pub fn size_bytes(&self, layout: Layout) -> usize {
        (self.count() - 1) * layout.array_stride(self.ty) + layout.size_bytes(self.ty)
    }

    /// The values in memory; gaps are zero.
    pub fn to_bytes(&self, layout: Layout) -> Vec<u8> {
        let mut bytes = vec![0; self.size_bytes(layout)];
        let size = self.ty.base.size_bytes();
        for (i, value) in self.components.chunks(self.ty.components()).enumerate() {
            for (j, bits) in value.iter().enumerate() {
                let (column, row) = (j / self.ty.rows, j % self.ty.rows);
                let at = i * layout.array_stride(self.ty)
                    + layout.component_offset(self.ty, column, row);
                bytes[at..at + size].copy_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        bytes
    }
}

/// Reads the bit pattern of a component.
pub fn read_component(bytes: &[u8], at: usize, base: ComponentType) -> u64 {
    let size = base.size_bytes();
    let mut raw = [0; 8];
    raw[..size].copy_from_slice(&bytes[at..at + size]);
    u64::from_le_bytes(raw)
}

/// The value of a float bit pattern.
pub fn float_value(bits: u64, size_bits: u32) -> f64 {
    match size_bits {
        16 => half::f16::from_bits(bits as u16).to_f64(),
        32 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

/// A component as text.
pub fn show_component(bits: u64, base: ComponentType) -> String {
    match base {
        ComponentType::Int(size, true) => ((bits << (64 - size)) as i64 >> (64 - size)).to_string(),
        ComponentType::Int(_, false) => bits.to_string(),
        ComponentType::Float(16) => half::f16::from_bits(bits as u16).to_string(),
        ComponentType::Float(32) => f32::from_bits(bits as u32).to_string(),
        ComponentType::Float(_) => f64::from_bits(bits).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STD430: Layout = Layout {
        std140: false,
        row_major: false,
    };

    #[test]
    fn names_give_types() {
        for (name, columns, rows, size) in [
            ("int", 1, 1, 4),
            ("u8vec3", 1, 3, 1),
            ("mat2x3", 2, 3, 4),
            ("dmat4", 4, 4, 8),
            ("f16vec2", 1, 2, 2),
        ] {
            let ty = Type::from_name(name).unwrap();
            assert_eq!(
                (ty.columns, ty.rows, ty.base.size_bytes()),
                (columns, rows, size),
                "{name}"
            );
        }
        for name in ["bool", "imat2", "vec5", "f16mat2", "vec"] {
            assert_eq!(Type::from_name(name), None, "{name}");
        }
    }

    #[test]
    fn layouts_follow_the_language() {
        let mat = Type::from_name("mat2x3").unwrap();
        assert_eq!(STD430.matrix_stride(mat), 16);
        assert_eq!(STD430.size_bytes(mat), 28);
        let rows = Layout {
            row_major: true,
            ..STD430
        };
        assert_eq!((rows.matrix_stride(mat), rows.size_bytes(mat)), (8, 24));
        let std140 = Layout {
            std140: true,
            row_major: false,
        };
        assert_eq!(std140.array_stride(Type::from_name("float").unwrap()), 16);
        let values = Values::parse(mat, "1 2 3 4 5 6").unwrap();
        let bytes = values.to_bytes(rows);
        assert_eq!(
            f32::from_le_bytes(bytes[4..8].try_into().unwrap()),
            4.0,
            "row 0 holds column 1 next"
        );
    }

    #[test]
    fn a_list_must_hold_whole_values() {
        let vec3 = Type::from_name("ivec3").unwrap();
        assert!(Values::parse(vec3, "1 2").is_none());
        assert!(Values::parse(vec3, "1 2 3 4").is_none());
        assert_eq!(Values::parse(vec3, "1 2 -3").unwrap().count(), 1);
    }
}
