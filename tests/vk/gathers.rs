//! Gathers: how far from its texel one may look.

use ash::vk;

use crate::compute::{Descriptor, UpdateBy, run};
use crate::images::Image;
use crate::rig::Rig;
use crate::textures::{COLOUR, fill, floats, image_info, nearest, view};

#[test]
fn gather_offsets_at_the_limits() {
    let rig = Rig::new();
    let limits = unsafe { rig.instance.get_physical_device_properties(rig.physical) }.limits;
    let reach = (
        limits.min_texel_gather_offset,
        limits.max_texel_gather_offset,
    );
    assert_eq!(reach, (-32, 31));
    let format = vk::Format::R32_SFLOAT;
    let info = image_info(format, [80, 80, 1], 1, 1);
    let image = Image::new(&rig, &info);
    let bytes: Vec<u8> = (0..80 * 80)
        .flat_map(|at| (at as f32).to_le_bytes())
        .collect();
    fill(&rig, &image, &info, &bytes);
    let seen = view(&rig, &image, vk::ImageViewType::TYPE_2D, format, COLOUR);
    let sampler = unsafe { rig.device.create_sampler(&nearest(), None) }.unwrap();
    let out = rig.buffer(6 * 4);
    out.data[20..].copy_from_slice(&31i32.to_le_bytes());
    let glsl = "#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { float texels[5]; int far; };
layout(binding = 1) uniform sampler2D image;
void main()
{
    // The texel up and left of the corner is (39, 39).
    vec2 corner = vec2(0.5);
    texels[0] = textureGatherOffset(image, corner, ivec2(-32, 31)).w;
    const ivec2 all[4] = ivec2[](ivec2(-32, -32), ivec2(31, 31), ivec2(7, -8), ivec2(-8, 8));
    vec4 four = textureGatherOffsets(image, corner, all);
    for (int at = 0; at < 3; at++) texels[1 + at] = four[at];
    texels[4] = textureGatherOffset(image, corner, ivec2(far, -1 - far)).w;
}";
    let given = [Descriptor::Image(
        vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        seen,
        sampler,
    )];
    run(&rig, glsl, &out, &given, &[], UpdateBy::Write);
    let texel = |x: i32, y: i32| ((39 + y) * 80 + 39 + x) as f32;
    let meant = [
        texel(-32, 31),
        texel(-32, -32),
        texel(31, 31),
        texel(7, -8),
        texel(31, -32),
    ];
    assert_eq!(floats(&out)[..5], meant);
    unsafe {
        rig.device.destroy_sampler(sampler, None);
        rig.device.destroy_image_view(seen, None);
    }
}
