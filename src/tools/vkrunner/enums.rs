//! Names and values of pipeline properties.

/// How an integer property is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntKind {
    /// `true`, `false` or a number.
    Bool,
    /// Numbers and names, OR-ed.
    Int,
}

/// Integer properties: name, kind, default.
pub const INT_PROPERTIES: &[(&str, IntKind, i64)] = &[
    ("topology", IntKind::Int, 3),
    ("primitiveRestartEnable", IntKind::Bool, 0),
    ("patchControlPoints", IntKind::Int, 0),
    ("depthClampEnable", IntKind::Bool, 0),
    ("rasterizerDiscardEnable", IntKind::Bool, 0),
    ("polygonMode", IntKind::Int, 0),
    ("cullMode", IntKind::Int, 0),
    ("frontFace", IntKind::Int, 0),
    ("depthBiasEnable", IntKind::Bool, 0),
    ("logicOpEnable", IntKind::Bool, 0),
    ("logicOp", IntKind::Int, 15),
    ("blendEnable", IntKind::Bool, 0),
    ("srcColorBlendFactor", IntKind::Int, 6),
    ("dstColorBlendFactor", IntKind::Int, 7),
    ("colorBlendOp", IntKind::Int, 0),
    ("srcAlphaBlendFactor", IntKind::Int, 6),
    ("dstAlphaBlendFactor", IntKind::Int, 7),
    ("alphaBlendOp", IntKind::Int, 0),
    ("colorWriteMask", IntKind::Int, 15),
    ("depthTestEnable", IntKind::Bool, 0),
    ("depthWriteEnable", IntKind::Bool, 0),
    ("depthCompareOp", IntKind::Int, 1),
    ("depthBoundsTestEnable", IntKind::Bool, 0),
    ("stencilTestEnable", IntKind::Bool, 0),
    ("front.failOp", IntKind::Int, 0),
    ("front.passOp", IntKind::Int, 0),
    ("front.depthFailOp", IntKind::Int, 0),
    ("front.compareOp", IntKind::Int, 7),
    ("front.compareMask", IntKind::Int, 0xffff_ffff),
    ("front.writeMask", IntKind::Int, 0xffff_ffff),
    ("front.reference", IntKind::Int, 0),
    ("back.failOp", IntKind::Int, 0),
    ("back.passOp", IntKind::Int, 0),
    ("back.depthFailOp", IntKind::Int, 0),
    ("back.compareOp", IntKind::Int, 7),
    ("back.compareMask", IntKind::Int, 0xffff_ffff),
    ("back.writeMask", IntKind::Int, 0xffff_ffff),
    ("back.reference", IntKind::Int, 0),
    ("sampleShadingEnable", IntKind::Bool, 0),
    ("sampleMask", IntKind::Int, 0xffff_ffff),
    ("alphaToCoverageEnable", IntKind::Bool, 0),
    ("alphaToOneEnable", IntKind::Bool, 0),
];

/// Float properties: name, default.
pub const FLOAT_PROPERTIES: &[(&str, f32)] = &[
    ("depthBiasConstantFactor", 0.0),
    ("depthBiasClamp", 0.0),
    ("depthBiasSlopeFactor", 0.0),
    ("lineWidth", 1.0),
    ("minDepthBounds", 0.0),
    ("maxDepthBounds", 0.0),
    ("minSampleShading", 0.0),
];

/// Index of an integer property. Panics never: `None` for an unknown name.
pub fn int_property(name: &str) -> Option<usize> {
    INT_PROPERTIES.iter().position(|p| p.0 == name)
}

/// Families of names whose values count up from 0.
const COUNTED: &[(&str, &[&str])] = &[
    (
        "VK_PRIMITIVE_TOPOLOGY_",
        &[
            "POINT_LIST",
            "LINE_LIST",
            "LINE_STRIP",
            "TRIANGLE_LIST",
            "TRIANGLE_STRIP",
            "TRIANGLE_FAN",
            "LINE_LIST_WITH_ADJACENCY",
            "LINE_STRIP_WITH_ADJACENCY",
            "TRIANGLE_LIST_WITH_ADJACENCY",
            "TRIANGLE_STRIP_WITH_ADJACENCY",
            "PATCH_LIST",
        ],
    ),
    ("VK_POLYGON_MODE_", &["FILL", "LINE", "POINT"]),
    (
        "VK_CULL_MODE_",
        &["NONE", "FRONT_BIT", "BACK_BIT", "FRONT_AND_BACK"],
    ),
    ("VK_FRONT_FACE_", &["COUNTER_CLOCKWISE", "CLOCKWISE"]),
    (
        "VK_LOGIC_OP_",
        &[
            "CLEAR",
            "AND",
            "AND_REVERSE",
            "COPY",
            "AND_INVERTED",
            "NO_OP",
            "XOR",
            "OR",
            "NOR",
            "EQUIVALENT",
            "INVERT",
            "OR_REVERSE",
            "COPY_INVERTED",
            "OR_INVERTED",
            "NAND",
            "SET",
        ],
    ),
    (
        "VK_BLEND_FACTOR_",
        &[
            "ZERO",
            "ONE",
            "SRC_COLOR",
            "ONE_MINUS_SRC_COLOR",
            "DST_COLOR",
            "ONE_MINUS_DST_COLOR",
            "SRC_ALPHA",
            "ONE_MINUS_SRC_ALPHA",
            "DST_ALPHA",
            "ONE_MINUS_DST_ALPHA",
            "CONSTANT_COLOR",
            "ONE_MINUS_CONSTANT_COLOR",
            "CONSTANT_ALPHA",
            "ONE_MINUS_CONSTANT_ALPHA",
            "SRC_ALPHA_SATURATE",
            "SRC1_COLOR",
            "ONE_MINUS_SRC1_COLOR",
            "SRC1_ALPHA",
            "ONE_MINUS_SRC1_ALPHA",
        ],
    ),
    (
        "VK_BLEND_OP_",
        &["ADD", "SUBTRACT", "REVERSE_SUBTRACT", "MIN", "MAX"],
    ),
    (
        "VK_COMPARE_OP_",
        &[
            "NEVER",
            "LESS",
            "EQUAL",
            "LESS_OR_EQUAL",
            "GREATER",
            "NOT_EQUAL",
            "GREATER_OR_EQUAL",
            "ALWAYS",
        ],
    ),
    (
        "VK_STENCIL_OP_",
        &[
            "KEEP",
            "ZERO",
            "REPLACE",
            "INCREMENT_AND_CLAMP",
            "DECREMENT_AND_CLAMP",
            "INVERT",
            "INCREMENT_AND_WRAP",
            "DECREMENT_AND_WRAP",
        ],
    ),
];

/// VkBlendOp's advanced values, counting up from 1000148000.
const ADVANCED_BLEND: &[&str] = &[
    "ZERO",
    "SRC",
    "DST",
    "SRC_OVER",
    "DST_OVER",
    "SRC_IN",
    "DST_IN",
    "SRC_OUT",
    "DST_OUT",
    "SRC_ATOP",
    "DST_ATOP",
    "XOR",
    "MULTIPLY",
    "SCREEN",
    "OVERLAY",
    "DARKEN",
    "LIGHTEN",
    "COLORDODGE",
    "COLORBURN",
    "HARDLIGHT",
    "SOFTLIGHT",
    "DIFFERENCE",
    "EXCLUSION",
    "INVERT",
    "INVERT_RGB",
    "LINEARDODGE",
    "LINEARBURN",
    "VIVIDLIGHT",
    "LINEARLIGHT",
    "PINLIGHT",
    "HARDMIX",
    "HSL_HUE",
    "HSL_SATURATION",
    "HSL_COLOR",
    "HSL_LUMINOSITY",
    "PLUS",
    "PLUS_CLAMPED",
    "PLUS_CLAMPED_ALPHA",
    "PLUS_DARKER",
    "MINUS",
    "MINUS_CLAMPED",
    "CONTRAST",
    "INVERT_OVG",
    "RED",
    "GREEN",
    "BLUE",
];

/// Value of a `VK_…` name. One flat table: the language does not check names against properties.
pub fn enum_value(name: &str) -> Option<i64> {
    for (prefix, names) in COUNTED {
        let found = name
            .strip_prefix(prefix)
            .and_then(|rest| names.iter().position(|n| *n == rest));
        if let Some(value) = found {
            return Some(value as i64);
        }
    }
    if let Some(rest) = name
        .strip_prefix("VK_BLEND_OP_")
        .and_then(|r| r.strip_suffix("_EXT"))
    {
        let at = ADVANCED_BLEND.iter().position(|n| *n == rest)?;
        return Some(1_000_148_000 + at as i64);
    }
    match name.strip_prefix("VK_COLOR_COMPONENT_")? {
        "R_BIT" => Some(1),
        "G_BIT" => Some(2),
        "B_BIT" => Some(4),
        "A_BIT" => Some(8),
        _ => None,
    }
}

/// Topology of `draw arrays`, by Vulkan's or OpenGL's name.
pub fn topology(name: &str) -> Option<i64> {
    const GL: &[(&str, &str)] = &[
        ("GL_POINTS", "POINT_LIST"),
        ("GL_LINES", "LINE_LIST"),
        ("GL_LINE_STRIP", "LINE_STRIP"),
        ("GL_TRIANGLES", "TRIANGLE_LIST"),
        ("GL_TRIANGLE_STRIP", "TRIANGLE_STRIP"),
        ("GL_TRIANGLE_FAN", "TRIANGLE_FAN"),
        ("GL_LINES_ADJACENCY", "LINE_LIST_WITH_ADJACENCY"),
        ("GL_LINE_STRIP_ADJACENCY", "LINE_STRIP_WITH_ADJACENCY"),
        ("GL_TRIANGLES_ADJACENCY", "TRIANGLE_LIST_WITH_ADJACENCY"),
        (
            "GL_TRIANGLE_STRIP_ADJACENCY",
            "TRIANGLE_STRIP_WITH_ADJACENCY",
        ),
        ("GL_PATCHES", "PATCH_LIST"),
    ];
    let name = GL.iter().find(|g| g.0 == name).map_or(name, |g| g.1);
    enum_value(&format!("VK_PRIMITIVE_TOPOLOGY_{name}"))
}
