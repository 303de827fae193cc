//! The structures against Khronos' registry.

use std::mem::offset_of;

use super::*;
use crate::testing::registry::{child_text, children, is_vulkan, registry, s_type, structures};
use roxmltree::Document;

macro_rules! check_members {
    ($tree:ident: $ty:ident [$($member:ident)*]) => {
        let node = structures($tree)[concat!("Vk", stringify!($ty))];
        let members = children(node, "member").map(|member| child_text(member, "name"));
        let wanted: Vec<_> = members.skip(2).collect();
        let mut have = vec![$((offset_of!($ty<'_>, $member), stringify!($member))),*];
        have.sort_unstable();
        let squeezed = |name: &str| name.replace('_', "").to_lowercase();
        let have: Vec<_> = have.into_iter().map(|(_, name)| squeezed(name)).collect();
        assert_eq!(have, wanted.iter().map(|name| squeezed(name)).collect::<Vec<_>>());
    };
}

#[test]
fn members_are_in_the_registrys_order() {
    let Some(tree) = registry() else { return };
    check_members!(tree: PhysicalDeviceVulkan14Properties [
        line_sub_pixel_precision_bits max_vertex_attrib_divisor supports_non_zero_first_instance
        max_push_descriptors dynamic_rendering_local_read_depth_stencil_attachments
        dynamic_rendering_local_read_multisampled_attachments
        early_fragment_multisample_coverage_after_sample_counting
        early_fragment_sample_mask_test_before_sample_counting depth_stencil_swizzle_one_support
        polygon_mode_point_size non_strict_single_pixel_wide_lines_use_parallelogram
        non_strict_wide_lines_use_parallelogram block_texel_view_compatible_multiple_layers
        max_combined_image_sampler_descriptor_count fragment_shading_rate_clamp_combiner_inputs
        default_robustness_storage_buffers default_robustness_uniform_buffers
        default_robustness_vertex_inputs default_robustness_images copy_src_layout_count
        p_copy_src_layouts copy_dst_layout_count p_copy_dst_layouts optimal_tiling_layout_uuid
        identical_memory_type_requirements
    ]);
}

/// A structure as this crate's source declares it.
#[derive(Default)]
struct Declared {
    name: &'static str,
    /// Names and types, in order.
    members: Vec<(&'static str, &'static str)>,
    /// The number of its structure type.
    number: Option<i32>,
    /// Its members are in memory as they are declared.
    has_c_layout: bool,
}

/// The structures of `types.rs`.
fn declared() -> Vec<Declared> {
    let mut all: Vec<Declared> = Vec::new();
    let (mut inside, mut numbered, mut has_c_layout) = (false, None, false);
    let files = [
        include_str!("../types.rs"),
        include_str!("heap.rs"),
        include_str!("present_timing.rs"),
    ];
    for line in files.into_iter().flat_map(str::lines) {
        let word = |rest: &'static str| rest.split(['<', ' ', '(', ';']).next().unwrap_or(rest);
        if let Some(rest) = line
            .strip_prefix("pub struct ")
            .filter(|rest| rest.ends_with('{'))
        {
            inside = true;
            all.push(Declared {
                name: word(rest),
                has_c_layout,
                ..Declared::default()
            });
        } else if let Some(rest) = line.strip_prefix("unsafe impl TaggedStructure for ") {
            numbered = Some(word(rest));
        } else if line == "}" {
            (inside, numbered, has_c_layout) = (false, None, false);
        }
        has_c_layout |= line == "#[repr(C)]";
        let member = line.strip_prefix("    pub ").filter(|_| inside);
        let member = member.and_then(|member| member.strip_suffix(',')?.split_once(": "));
        if let (Some(member), Some(last)) = (member, all.last_mut())
            && member.0 != "_marker"
        {
            last.members.push(member);
        }
        let number = line.split_once("StructureType::from_raw(");
        let number = number.and_then(|(_, rest)| rest.strip_suffix(");"));
        if let (Some(number), Some(name)) = (number, numbered) {
            let number = number.replace('_', "").parse().ok();
            let same = all.iter_mut().filter(|structure| structure.name == name);
            same.for_each(|structure| structure.number = number);
        }
    }
    all
}

/// Bytes of a C type that is no pointer, and of the Rust type that stands for it; `None` for
/// structures, whose names must be equal.
fn type_bytes(tree: &'static Document<'static>, name: &str) -> Option<u32> {
    match name {
        "uint32_t" | "int32_t" | "float" | "VkBool32" | "u32" | "i32" | "f32" => Some(4),
        "uint64_t" | "size_t" | "VkDeviceSize" | "VkDeviceAddress" | "u64" | "usize" => Some(8),
        _ => {
            let mut all = children(tree.root_element(), "types").flat_map(|t| children(t, "type"));
            let node = all.find(|node| {
                node.attribute("name") == Some(name) || child_text(*node, "name") == name
            })?;
            match (node.attribute("category")?, child_text(node, "type")) {
                ("bitmask", "VkFlags64") | ("handle", _) => Some(8),
                ("bitmask" | "enum", _) => Some(4),
                _ => None,
            }
        }
    }
}

#[test]
fn structures_are_those_of_the_registry() {
    let Some(tree) = registry() else { return };
    let known = structures(tree);
    let all = declared();
    assert!(all.len() > 30, "{} structures", all.len());
    for Declared {
        name,
        members,
        number,
        has_c_layout,
    } in all
    {
        assert!(has_c_layout, "{name}");
        let node = known[format!("Vk{name}").as_str()];
        if let Some(number) = number {
            assert_eq!(s_type(tree, node), Some(number), "{name}");
        }
        let wanted = children(node, "member").filter(|m| is_vulkan(m.attribute("api")));
        let wanted: Vec<_> = wanted.collect();
        assert_eq!(members.len(), wanted.len(), "{name}");
        for ((member, ty), node) in members.into_iter().zip(wanted) {
            let squeezed = |name: &str| name.replace('_', "").replace("r#", "").to_lowercase();
            let place = format!("{name}.{member}: {ty}");
            assert_eq!(
                squeezed(member),
                squeezed(child_text(node, "name")),
                "{place}"
            );
            let texts = node.children().filter(|child| child.is_text());
            let text: String = texts.filter_map(|child| child.text()).collect();
            let c = child_text(node, "type");
            assert_eq!(ty.starts_with('*'), text.contains('*'), "{place}");
            assert_eq!(ty.starts_with('['), text.contains('['), "{place}");
            let plain = ty.split('<').next().unwrap_or(ty);
            // A type that became core has lost its suffix; ash has one type for flags and bits.
            let core = |name: &str| {
                let suffix = ["EXT", "KHR"]
                    .into_iter()
                    .find_map(|s| name.strip_suffix(s));
                suffix.unwrap_or(name).replace("FlagBits", "Flags")
            };
            let same = c.strip_prefix("Vk").map(core) == Some(core(plain));
            if !ty.starts_with(['*', '[']) && !same {
                let (found, expected) = (type_bytes(tree, plain), type_bytes(tree, c));
                assert!(found.is_some() && found == expected, "{place} for {c}");
            }
        }
    }
}
