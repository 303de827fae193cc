//! Clears: of images, of attachments when a rendering begins, of rectangles while it goes on; and
//! resolves when it ends.
//!
//! In:  images and random numbers. Out: recorded commands, and what they must do to the texels.

use ash::vk;

use crate::copy::{Piece, write};
use crate::format::Layout;
use crate::model::{Place, places};
use crate::object::Image;
use crate::random::Random;
use crate::record::{Recorder, Use};
use crate::scale;
use crate::value;

/// A depth that all implementations round to the same bits in every depth format, a stencil value,
/// and the bytes of both.
fn depth_stencil(
    random: &mut Random,
    format: vk::Format,
) -> (vk::ClearDepthStencilValue, [Vec<u8>; 2]) {
    let depth = *random.pick(&[0.0f32, 1.0, 0.25, 0.75]);
    let stencil = random.below(256) as u8;
    let fixed = |bits: u32| {
        let most = f64::from(u32::MAX >> (32 - bits));
        (f64::from(depth) * most).round() as u32
    };
    let bytes = match format {
        vk::Format::D16_UNORM => fixed(16).to_le_bytes()[..2].to_vec(),
        vk::Format::D32_SFLOAT | vk::Format::D32_SFLOAT_S8_UINT => depth.to_le_bytes().to_vec(),
        _ => fixed(24).to_le_bytes().to_vec(),
    };
    let value = vk::ClearDepthStencilValue {
        depth,
        stencil: stencil.into(),
    };
    (value, [bytes, vec![stencil]])
}

/// Fills a box of a level.
fn fill(image: &mut Image, part: usize, level: u32, from: [u32; 3], size: [u32; 3], bytes: &[u8]) {
    let known = vec![0xff; bytes.len()];
    for at in places(from, size) {
        image.parts[part].set(Place { level, at }, bytes, &known);
    }
}

/// Which of depth and stencil a part is.
fn which(image: &Image, part: usize) -> usize {
    usize::from(image.parts[part].aspect.aspect == vk::ImageAspectFlags::STENCIL)
}

/// True if vkCmdClearColorImage or vkCmdClearDepthStencilImage can clear the image.
fn can_clear(image: &Image) -> bool {
    image.layout.is_plain() || !image.layout.is_colour() && !image.layout.is_planar()
}

/// vkCmdClearColorImage, vkCmdClearDepthStencilImage.
pub fn clear(recorder: &mut Recorder<'_>, random: &mut Random, image: &mut Image) {
    if !can_clear(image) {
        return;
    }
    let level = random.range(0, image.levels - 1);
    let levels = random.range(1, image.levels - level);
    let layer = random.range(0, image.layers - 1);
    let layers = random.range(1, image.layers - layer);
    let parts: Vec<usize> = match random.one_in(2) {
        true => (0..image.parts.len()).collect(),
        false => vec![random.below(image.parts.len() as u64) as usize],
    };
    let aspects = parts
        .iter()
        .fold(vk::ImageAspectFlags::empty(), |all, part| {
            all | image.parts[*part].aspect.aspect
        });
    let range = vk::ImageSubresourceRange {
        aspect_mask: aspects,
        base_mip_level: level,
        level_count: levels,
        base_array_layer: layer,
        layer_count: layers,
    };
    recorder.image(random, image, Use::Clear, false);
    let d = &recorder.world.device;
    let (colour, bytes) = match image.layout.is_colour() {
        true => {
            let (value, bytes) = value::clear(&image.layout, random);
            unsafe {
                d.cmd_clear_color_image(
                    recorder.commands,
                    image.image,
                    image.now,
                    &value,
                    &[range],
                );
            }
            (Some(unsafe { value.uint32 }), [bytes, Vec::new()])
        }
        false => {
            let (value, bytes) = depth_stencil(random, image.layout.format);
            unsafe {
                d.cmd_clear_depth_stencil_image(
                    recorder.commands,
                    image.image,
                    image.now,
                    &value,
                    &[range],
                );
            }
            (None, bytes)
        }
    };
    for part in parts {
        for level in level..level + levels {
            let size = image.parts[part].levels[level as usize].size;
            let (from, count) = match image.is_volume() {
                true => (0, size[2]),
                false => (layer, layers),
            };
            let bytes = &bytes[which(image, part)];
            let box_px = [size[0], size[1], count];
            fill(image, part, level, [0, 0, from], box_px, bytes);
        }
    }
    recorder.log.push(format!(
        "clear of {}: {range:?}, {colour:x?}",
        image.description()
    ));
}

/// An attachment of a rendering.
struct Attachment {
    index: usize,
    level: u32,
    layer: u32,
    /// The layout of the format of its view.
    layout: Layout,
    view: vk::ImageView,
}

/// A view of layers of a level.
fn view(
    recorder: &mut Recorder<'_>,
    image: &Image,
    format: vk::Format,
    level: u32,
    layer: u32,
    layers: u32,
) -> vk::ImageView {
    let kind = match (image.kind, layers) {
        (vk::ImageType::TYPE_1D, 1) => vk::ImageViewType::TYPE_1D,
        (vk::ImageType::TYPE_1D, _) => vk::ImageViewType::TYPE_1D_ARRAY,
        (_, 1) => vk::ImageViewType::TYPE_2D,
        _ => vk::ImageViewType::TYPE_2D_ARRAY,
    };
    let range = vk::ImageSubresourceRange {
        aspect_mask: image.aspects(),
        base_mip_level: level,
        level_count: 1,
        base_array_layer: layer,
        layer_count: layers,
    };
    // The view's format may support fewer usages than the image's own.
    let attachments =
        vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let mut usage = vk::ImageViewUsageCreateInfo::default().usage(image.usage & attachments);
    let info = vk::ImageViewCreateInfo::default()
        .image(image.image)
        .view_type(kind)
        .format(format)
        .subresource_range(range)
        .push_next(&mut usage);
    let view = unsafe { recorder.world.device.create_image_view(&info, None) }.expect("a view");
    recorder.views.push(view);
    view
}

/// True if the image can be an attachment.
fn can_draw(image: &Image) -> bool {
    let usages =
        vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT;
    let planes = vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE;
    image.usage.intersects(usages) && (!image.is_volume() || image.flags.contains(planes))
}

/// The layout of a format that a view of the image may have: mostly its own.
fn view_layout(recorder: &Recorder<'_>, random: &mut Random, image: &Image) -> Layout {
    let mutable = vk::ImageCreateFlags::MUTABLE_FORMAT;
    if !image.flags.contains(mutable) || random.one_in(2) {
        return image.layout.clone();
    }
    let target = vk::FormatFeatureFlags::COLOR_ATTACHMENT;
    let fitting = random.pick_where(&recorder.world.formats, |other| {
        other.is_plain()
            && other.aspects[0].bytes == image.parts[0].aspect.bytes
            && recorder
                .world
                .features(other.format, image.tiling)
                .contains(target)
    });
    fitting.unwrap_or(&image.layout).clone()
}

/// The images that a rendering draws to: the first, and perhaps another beside it.
fn choose(random: &mut Random, images: &[Image], first: usize, whole: bool) -> Vec<usize> {
    let colour = images[first].layout.is_colour();
    let mut chosen = vec![first];
    let more = (0..images.len()).find(|&other| {
        other != first
            && can_draw(&images[other])
            && images[other].samples == images[first].samples
            && (colour || images[other].layout.is_colour())
    });
    if let Some(more) = more.filter(|_| !whole && random.one_in(2)) {
        chosen.push(more);
    }
    chosen
}

/// Makes attachments of the images; returns them with the size that all of them have and their
/// number of layers. `whole`: of their first layer on, in their own formats.
fn attach(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    images: &[Image],
    chosen: Vec<usize>,
    whole: bool,
) -> (Vec<Attachment>, [u32; 2], u32) {
    let mut attachments = Vec::new();
    let (mut area, mut layers) = ([u32::MAX; 2], u32::MAX);
    for index in chosen {
        let image = &images[index];
        let level = random.range(0, image.levels - 1);
        let size = image.size(level);
        let layer = match whole {
            true => 0,
            false => random.range(0, size[2] - 1),
        };
        area = [0, 1].map(|axis| area[axis].min(size[axis]));
        layers = layers.min(size[2] - layer);
        let layout = match whole {
            true => image.layout.clone(),
            false => view_layout(recorder, random, image),
        };
        attachments.push((index, level, layer, layout));
    }
    if !whole {
        layers = random.range(1, layers);
    }
    let attachments = attachments
        .into_iter()
        .map(|(index, level, layer, layout)| Attachment {
            index,
            level,
            layer,
            view: view(
                recorder,
                &images[index],
                layout.format,
                level,
                layer,
                layers,
            ),
            layout,
        })
        .collect();
    (attachments, area, layers)
}

/// A clear of a part of an attachment by the rendering's load operation.
#[derive(Debug)]
struct LoadClear {
    index: usize,
    level: u32,
    layer: u32,
    part: usize,
    bytes: Vec<u8>,
}

/// How a rendering loads its attachments.
#[derive(Default)]
struct Loads {
    colours: Vec<vk::RenderingAttachmentInfo<'static>>,
    /// Depth and stencil.
    others: Vec<(vk::ImageAspectFlags, vk::RenderingAttachmentInfo<'static>)>,
    clears: Vec<LoadClear>,
}

/// Adds the load operation of an attachment; `resolve`: the image that it is resolved to, and that
/// image's view.
fn load(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    images: &mut [Image],
    attachment: &Attachment,
    resolve: Option<(usize, vk::ImageView)>,
    loads: &mut Loads,
) {
    let is_colour = images[attachment.index].layout.is_colour();
    let how = match is_colour {
        true => Use::Draw,
        false => Use::DrawDepth,
    };
    recorder.image(random, &mut images[attachment.index], how, false);
    let mut info = vk::RenderingAttachmentInfo::default()
        .image_view(attachment.view)
        .image_layout(images[attachment.index].now)
        .store_op(vk::AttachmentStoreOp::STORE);
    if let Some((index, target)) = resolve {
        recorder.image(random, &mut images[index], how, false);
        let average = is_colour && !images[index].layout.is_integer();
        info = info
            .resolve_image_view(target)
            .resolve_image_layout(images[index].now)
            .resolve_mode(match average {
                true => vk::ResolveModeFlags::AVERAGE,
                false => vk::ResolveModeFlags::SAMPLE_ZERO,
            });
    }
    let image = &images[attachment.index];
    let mut load_op = |random: &mut Random, part, bytes| match resolve.is_none() && random.one_in(2)
    {
        true => {
            let Attachment {
                index,
                level,
                layer,
                ..
            } = *attachment;
            loads.clears.push(LoadClear {
                index,
                level,
                layer,
                part,
                bytes,
            });
            vk::AttachmentLoadOp::CLEAR
        }
        false => vk::AttachmentLoadOp::LOAD,
    };
    if is_colour {
        let (value, bytes) = value::clear(&attachment.layout, random);
        let op = load_op(random, 0, bytes);
        let value = vk::ClearValue { color: value };
        loads.colours.push(info.load_op(op).clear_value(value));
        return;
    }
    let (value, bytes) = depth_stencil(random, image.layout.format);
    for part in 0..image.parts.len() {
        let op = load_op(random, part, bytes[which(image, part)].clone());
        let value = vk::ClearValue {
            depth_stencil: value,
        };
        loads.others.push((
            image.parts[part].aspect.aspect,
            info.load_op(op).clear_value(value),
        ));
    }
}

/// Begins the rendering.
fn begin(recorder: &Recorder<'_>, loads: &Loads, rect: vk::Rect2D, layers: u32) {
    let mut info = vk::RenderingInfo::default()
        .render_area(rect)
        .layer_count(layers)
        .color_attachments(&loads.colours);
    for (aspect, other) in &loads.others {
        info = match *aspect {
            vk::ImageAspectFlags::DEPTH => info.depth_attachment(other),
            _ => info.stencil_attachment(other),
        };
    }
    let d = &recorder.world.device;
    unsafe { d.cmd_begin_rendering(recorder.commands, &info) };
}

/// A rendering that clears; `resolved`: the image that the whole of `first` is resolved to at the
/// end.
pub fn render(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    images: &mut [Image],
    first: usize,
    resolved: Option<usize>,
) {
    if !can_draw(&images[first]) {
        return;
    }
    let whole = resolved.is_some();
    let chosen = choose(random, images, first, whole);
    let (attachments, area, layers) = attach(recorder, random, images, chosen, whole);
    let (mut from, mut size) = ([0; 2], area);
    if !whole && random.one_in(2) {
        size = area.map(|extent| random.range(1, extent));
        from = [0, 1].map(|axis| random.range(0, area[axis] - size[axis]));
    }
    let resolve = resolved.map(|index| {
        let image = &images[index];
        let target = view(recorder, image, image.layout.format, 0, 0, layers);
        (index, target)
    });
    let mut loads = Loads::default();
    for attachment in &attachments {
        load(recorder, random, images, attachment, resolve, &mut loads);
    }
    let rect = rectangle(from, size);
    begin(recorder, &loads, rect, layers);
    for clear in &loads.clears {
        let from = [from[0], from[1], clear.layer];
        let size = [size[0], size[1], layers];
        let image = &mut images[clear.index];
        fill(image, clear.part, clear.level, from, size, &clear.bytes);
    }
    for attachment in &attachments {
        let image = &mut images[attachment.index];
        image.wild |= attachment.layout.format != image.layout.format;
    }
    let mut log = vec![format!(
        "  {rect:?}, {layers} layers, {} colours, {} others, cleared {:x?}",
        loads.colours.len(),
        loads.others.len(),
        loads.clears
    )];
    if !whole {
        let mut next_slot = 0;
        for attachment in &attachments {
            let slot = next_slot;
            next_slot += u32::from(images[attachment.index].layout.is_colour());
            if random.one_in(2) {
                let image = &mut images[attachment.index];
                let area = (from, size, layers);
                rectangles(recorder, random, image, attachment, slot, area, &mut log);
            }
        }
    }
    unsafe { recorder.world.device.cmd_end_rendering(recorder.commands) };
    for attachment in &attachments {
        let image = &images[attachment.index];
        log.push(format!(
            "rendering to level {}, layer {} of {} as {:?}",
            attachment.level,
            attachment.layer,
            image.description(),
            attachment.layout.format
        ));
    }
    recorder.log.append(&mut log);
    if let Some(index) = resolved {
        resolve_texels(images, first, index, [area[0], area[1], layers]);
        let told = images[index].description();
        recorder.log.push(format!("resolved to {told}"));
    }
}

/// Writes the texels that a resolve of level 0 gives.
fn resolve_texels(images: &mut [Image], from: usize, to: usize, size: [u32; 3]) {
    for part in 0..images[from].parts.len() {
        let whole = Piece {
            part,
            level: 0,
            from: [0; 3],
            size,
        };
        let elements = scale::joined(&images[from], &whole);
        write(&mut images[to], &whole, &elements);
    }
}

fn rectangle(from: [u32; 2], size: [u32; 2]) -> vk::Rect2D {
    vk::Rect2D {
        offset: vk::Offset2D {
            x: from[0].cast_signed(),
            y: from[1].cast_signed(),
        },
        extent: vk::Extent2D {
            width: size[0],
            height: size[1],
        },
    }
}

/// Clears rectangles of an attachment of the rendering under way.
fn rectangles(
    recorder: &mut Recorder<'_>,
    random: &mut Random,
    image: &mut Image,
    attachment: &Attachment,
    slot: u32,
    (from, size, layers): ([u32; 2], [u32; 2], u32),
    log: &mut Vec<String>,
) {
    let part = random.below(image.parts.len() as u64) as usize;
    let mut clear = vk::ClearAttachment::default().aspect_mask(image.parts[part].aspect.aspect);
    let bytes = match image.layout.is_colour() {
        true => {
            let (value, bytes) = value::clear(&attachment.layout, random);
            clear = clear
                .color_attachment(slot)
                .clear_value(vk::ClearValue { color: value });
            bytes
        }
        false => {
            let (value, bytes) = depth_stencil(random, image.layout.format);
            clear = clear.clear_value(vk::ClearValue {
                depth_stencil: value,
            });
            bytes[which(image, part)].clone()
        }
    };
    let own = size.map(|extent| random.range(1, extent));
    let at = [0, 1].map(|axis| from[axis] + random.range(0, size[axis] - own[axis]));
    let layer = random.range(0, layers - 1);
    let count = random.range(1, layers - layer);
    let rect = vk::ClearRect {
        rect: rectangle(at, own),
        base_array_layer: layer,
        layer_count: count,
    };
    unsafe {
        recorder
            .world
            .device
            .cmd_clear_attachments(recorder.commands, &[clear], &[rect]);
    }
    log.push(format!("  cleared {rect:?} of part {part}: {bytes:x?}"));
    fill(
        image,
        part,
        attachment.level,
        [at[0], at[1], attachment.layer + layer],
        [own[0], own[1], count],
        &bytes,
    );
}
