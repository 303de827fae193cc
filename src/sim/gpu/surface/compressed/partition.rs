//! How BPTC divides its blocks into subsets, and its weights.
//!
//! In:  the number of a partition. Out: subset by texel, and the texels whose index lacks its
//!      highest bit.
//! Ref: Khronos Data Format Specification, "BPTC Compressed Texture Image Formats": partition
//!      tables, anchor tables, interpolation factors.

/// Texels of the second of two subsets, a bit each.
#[rustfmt::skip]
static TWO_SUBSETS: [u16; 64] = [
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80,
    0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
    0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
    0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
    0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a,
    0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
    0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
];

/// Texels of the second and the third of three subsets.
#[rustfmt::skip]
static THREE_SUBSETS: [[u16; 2]; 64] = [
    [0x08cc, 0xf600], [0x8cc8, 0x7300], [0xcc80, 0x3310], [0xec00, 0x00ce],
    [0x3300, 0xcc00], [0x00cc, 0xcc00], [0xff00, 0x00cc], [0xcccc, 0x3300],
    [0x0f00, 0xf000], [0x0ff0, 0xf000], [0x00f0, 0xff00], [0x4444, 0x8888],
    [0x6666, 0x8888], [0x2222, 0xcccc], [0x136c, 0xec80], [0x008c, 0x7310],
    [0x36c8, 0xc800], [0x08ce, 0x3100], [0x3330, 0xccc0], [0xf000, 0x0ccc],
    [0x00ee, 0xee00], [0x8888, 0x7700], [0x22c0, 0xcc00], [0x4430, 0x3300],
    [0x0c22, 0x00cc], [0x0344, 0xfc88], [0x6996, 0x0660], [0x9960, 0x6600],
    [0x0330, 0xc88c], [0x0066, 0xf900], [0xc22c, 0x0cc0], [0x8c00, 0x7310],
    [0x1300, 0xec80], [0xc400, 0x08ce], [0x004c, 0xec80], [0x2222, 0x4444],
    [0x00f0, 0x0f00], [0x2492, 0x4924], [0x2942, 0x4294], [0xc30c, 0x0c30],
    [0xc03c, 0x03c0], [0x00aa, 0xff00], [0xaa00, 0x5500], [0x3030, 0xcccc],
    [0xc0c0, 0x0c0c], [0x9090, 0x6666], [0xa00a, 0x0ff0], [0xaaa0, 0x5550],
    [0x0aaa, 0xf000], [0xe0e0, 0x0e0e], [0x7070, 0x8888], [0x6660, 0x9990],
    [0x0ee0, 0xe00e], [0x0770, 0x8888], [0x0666, 0xf000], [0x6600, 0x9900],
    [0x0066, 0xff00], [0x0cc0, 0xc00c], [0x0330, 0xcccc], [0x6000, 0x9000],
    [0x8080, 0x0808], [0x1010, 0xeeee], [0x000a, 0xfff0], [0x08ce, 0x7310],
];

/// Anchor of the second of two subsets.
static ANCHORS_TWO: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8,
    2, 2, 8, 8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2,
    2, 15, 15, 15, 15, 15, 2, 2, 15,
];

/// Anchors of the second and the third of three subsets.
#[rustfmt::skip]
static ANCHORS_THREE: [[u8; 2]; 64] = [
    [3, 15], [3, 8], [15, 8], [15, 3], [8, 15], [3, 15], [15, 3], [15, 8],
    [8, 15], [8, 15], [6, 15], [6, 15], [6, 15], [5, 15], [3, 15], [3, 8],
    [3, 15], [3, 8], [8, 15], [15, 3], [3, 15], [3, 8], [6, 15], [10, 8],
    [5, 3], [8, 15], [8, 6], [6, 10], [8, 15], [5, 15], [15, 10], [15, 8],
    [8, 15], [15, 3], [3, 15], [5, 10], [6, 10], [10, 8], [8, 9], [15, 10],
    [15, 6], [3, 15], [15, 8], [5, 15], [15, 3], [15, 6], [15, 6], [15, 8],
    [3, 15], [15, 3], [5, 15], [5, 15], [5, 15], [8, 15], [5, 15], [10, 15],
    [5, 15], [10, 15], [8, 15], [13, 15], [15, 3], [12, 15], [3, 15], [3, 8],
];

/// A block's division.
#[derive(Clone, Copy)]
pub(super) struct Partition {
    members: [u16; 2],
    /// Texels whose index lacks its highest bit, a bit each.
    anchors: u16,
}

impl Partition {
    /// The division into this many subsets with this number.
    pub fn new(subsets: usize, number: usize) -> Partition {
        let number = number & 63;
        match subsets {
            2 => Partition {
                members: [TWO_SUBSETS[number], 0],
                anchors: 1 | 1 << ANCHORS_TWO[number],
            },
            3 => {
                let [second, third] = ANCHORS_THREE[number];
                Partition {
                    members: THREE_SUBSETS[number],
                    anchors: 1 | 1 << second | 1 << third,
                }
            }
            _ => Partition {
                members: [0; 2],
                anchors: 1,
            },
        }
    }

    /// The subset of a texel.
    pub fn subset(&self, texel: usize) -> usize {
        let [second, third] = self.members.map(|member| usize::from(member >> texel & 1));
        second + 2 * third
    }

    /// Bits of a texel's index, where most have `bits`.
    pub fn index_bits(&self, texel: usize, bits: u32) -> u32 {
        bits - u32::from(self.anchors >> texel & 1)
    }
}

/// What an index of 2, 3 or 4 bits means, of 64.
pub(super) fn weight(bits: u32, index: u32) -> i32 {
    const TWO: [u8; 4] = [0, 21, 43, 64];
    const THREE: [u8; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [u8; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    let index = index as usize;
    i32::from(match bits {
        2 => TWO[index & 3],
        3 => THREE[index & 7],
        _ => FOUR[index & 15],
    })
}

/// A value between two.
pub(super) fn mix(a: i32, b: i32, weight: i32) -> i32 {
    (a * (64 - weight) + b * weight + 32) >> 6
}
