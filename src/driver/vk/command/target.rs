//! Attachments of a rendering.
//!
//! In:  views with their load and resolve operations. Out: the state of a rendering, and the
//!      targets of `cmd`.

use std::sync::Arc;

use ash::vk as api;
use blit::ResolveMode;
use cmd::draw::state::{FixedFunctionState, PixelRect, TARGETS, TargetSlots, Viewport};
use cmd::draw::target::{DepthStencilTarget, RenderTargets};
use hw::state::render_surface_state as rss;

use super::views::ViewMask;
use crate::format::Format;
use crate::image::{Image, View};
use crate::limits::MAX_FRAMEBUFFER_PX;
use crate::surface_state::SurfaceStateWords;

/// A load operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadOp<T> {
    /// Load, or don't care.
    Keep,
    /// Clear to this value.
    Clear(T),
}

/// A colour attachment.
#[derive(Clone, Copy, Debug)]
pub struct ColourAttachment<'a> {
    /// The view.
    pub view: &'a View,
    /// Its layout.
    pub layout: api::ImageLayout,
    /// Load operation: the clear value is four dwords of the target's type.
    pub load: LoadOp<[u32; 4]>,
    /// Views in which this is the attachment's first use, which the clear applies to.
    pub fresh: ViewMask,
    /// Resolve attachment and its layout.
    pub resolve: Option<(&'a View, api::ImageLayout)>,
    /// The resolve averages sRGB samples as they are encoded, not their linear values.
    pub resolves_encoded: bool,
}

/// The depth and stencil attachment.
#[derive(Clone, Copy, Debug)]
pub struct DepthStencil<'a> {
    /// The view.
    pub view: &'a View,
    /// Load operation of depth. `None`: no depth attachment.
    pub depth: Option<LoadOp<f32>>,
    /// Load operation of stencil. `None`: no stencil attachment.
    pub stencil: Option<LoadOp<u32>>,
    /// Views in which this is the attachment's first use, which the clears apply to.
    pub fresh: ViewMask,
    /// Layout of the depth aspect.
    pub layout: api::ImageLayout,
    /// Layout of the depth aspect of the resolve attachment.
    pub resolve_layout: api::ImageLayout,
    /// Resolve attachment and mode of depth.
    pub resolve_depth: Option<(&'a View, ResolveMode)>,
    /// Resolve attachment and mode of stencil.
    pub resolve_stencil: Option<(&'a View, ResolveMode)>,
}

/// The parameters of a rendering.
#[derive(Clone, Copy, Debug)]
pub struct BeginRendering<'a> {
    /// Render area.
    pub area: api::Rect2D,
    /// Number of layers.
    pub layers: u32,
    /// View mask.
    pub views: ViewMask,
    /// Colour attachments by target.
    pub colours: [Option<ColourAttachment<'a>>; TARGETS],
    /// Depth and stencil attachment.
    pub depth_stencil: Option<DepthStencil<'a>>,
    /// Draws dither their colours.
    pub dithered: bool,
}

/// What a secondary command buffer knows of the rendering that it continues.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InheritedRendering {
    /// Formats of the present colour targets.
    pub colours: [Option<&'static hw::Format>; TARGETS],
    /// There is a depth attachment.
    pub depth: bool,
    /// There is a stencil attachment.
    pub stencil: bool,
    /// Sample count.
    pub samples: u8,
    /// View mask.
    pub views: ViewMask,
    /// Draws dither their colours.
    pub dithered: bool,
    /// Locations of the colour attachments.
    pub slots: TargetSlots,
}

impl InheritedRendering {
    /// Placeholder targets: the primary emits the real ones. The area is the maximum.
    pub(super) fn targets(&self) -> RenderTargets {
        let depth = cmd::draw::target::DepthBuffer {
            format: cmd::draw::target::DepthFormat::D32Float,
            address: 0,
            pitch_bytes: 0,
            qpitch_rows: 0,
            hierarchy: None,
        };
        let stencil = cmd::draw::target::StencilBuffer {
            address: 0,
            pitch_bytes: 0,
            qpitch_rows: 0,
        };
        let surface = |format: &hw::Format| {
            let mut surface = [0; 16];
            rss::SURFACE_FORMAT.set(&mut surface, format.number.into());
            surface
        };
        RenderTargets {
            colours: self.colours.map(|format| format.map(surface)),
            records: [None; TARGETS],
            null: [0; 16],
            depth_stencil: DepthStencilTarget {
                depth: self.depth.then_some(depth),
                stencil: self.stencil.then_some(stencil),
                ..DepthStencilTarget::default()
            },
            area: MAX_AREA,
            dithered: self.dithered,
            inherited: true,
        }
    }

    /// The rendering, for attachment clears.
    pub(super) fn rendering(&self) -> Rendering {
        Rendering {
            active: true,
            samples: self.samples.max(1),
            area: MAX_AREA,
            layers: self.views.end(u32::MAX),
            views: self.views,
            slots: self.slots,
        }
    }
}

/// The largest render area.
const MAX_AREA: PixelRect = PixelRect {
    x: 0,
    y: 0,
    width: MAX_FRAMEBUFFER_PX,
    height: MAX_FRAMEBUFFER_PX,
};

/// The active rendering of a command buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rendering {
    pub active: bool,
    pub samples: u8,
    pub area: PixelRect,
    pub layers: u32,
    pub views: ViewMask,
    pub slots: TargetSlots,
}

/// A level of an image's layers, as a view has it.
#[derive(Clone, Debug)]
pub(super) struct AttachmentView {
    pub image: Arc<Image>,
    pub format: &'static Format,
    pub level: u32,
    pub first_layer: u32,
}

impl AttachmentView {
    pub fn new(view: &View) -> AttachmentView {
        AttachmentView {
            image: view.image.clone(),
            format: view.format,
            level: view.first_level,
            first_layer: view.first_layer,
        }
    }
}

/// A multisample resolve at the end of a rendering.
#[derive(Clone, Debug)]
pub(super) struct Resolve {
    pub aspect: api::ImageAspectFlags,
    pub from: AttachmentView,
    pub to: AttachmentView,
    pub area: api::Rect2D,
    /// First layer, relative to the views, and layer count.
    pub layers: (u32, u32),
    /// Resolve mode of depth and stencil.
    pub choice: ResolveMode,
    /// Encoded sRGB samples are averaged, not their linear values.
    pub encoded: bool,
    /// Aux surfaces may hold data that the main surface lacks: of the source, and of the
    /// destination.
    pub may_hold_aux: [bool; 2],
}

impl BeginRendering<'_> {
    /// The multisample resolves of the rendering.
    pub(super) fn resolves(&self) -> impl Iterator<Item = Resolve> {
        use api::ImageAspectFlags as A;
        let colours = self.colours.iter().flatten();
        let colours = colours.map(|colour| {
            let to = colour.resolve.map(|(to, layout)| {
                let may_hold_aux = [colour.layout, layout].map(Image::is_attachment_only_layout);
                ((to, ResolveMode::SampleZero), may_hold_aux)
            });
            (A::COLOR, colour.view, to, colour.resolves_encoded)
        });
        let others = self.depth_stencil.iter().flat_map(|target| {
            let may_hold_aux = [target.layout, target.resolve_layout].map(Image::layout_uses_hiz);
            let depth = target.resolve_depth.map(|to| (to, may_hold_aux));
            let stencil = target.resolve_stencil.map(|to| (to, [false; 2]));
            [
                (A::DEPTH, target.view, depth, false),
                (A::STENCIL, target.view, stencil, false),
            ]
        });
        let all = colours.chain(others);
        let all = all.filter_map(|(aspect, from, to, encoded)| Some((aspect, from, to?, encoded)));
        let (views, layers, area) = (self.views, self.layers, self.area);
        all.flat_map(
            move |(aspect, from, ((to, choice), may_hold_aux), encoded)| {
                let ranges = views.ranges(layers);
                ranges.map(move |layers| Resolve {
                    aspect,
                    from: AttachmentView::new(from),
                    to: AttachmentView::new(to),
                    area,
                    layers,
                    choice,
                    encoded,
                    may_hold_aux,
                })
            },
        )
    }
}

impl Rendering {
    /// Ends the rendering.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

/// The null surface, as large as the other targets.
pub(super) fn null_surface(area: &PixelRect, layers: u32) -> cmd::draw::target::SurfaceStateWords {
    use hw::value::state::{
        surface_horizontal_alignment, surface_type::SURFTYPE_NULL, surface_vertical_alignment,
        tile_mode,
    };
    let last = |first: u32, count: u32| u64::from(first.saturating_add(count).max(1) - 1);
    let last_layer = u64::from(layers.max(1) - 1);
    rss::words::<16>()
        .with(rss::SURFACE_TYPE, SURFTYPE_NULL)
        .with(
            rss::SURFACE_FORMAT,
            hw::value::surface_format::B8G8R8A8_UNORM,
        )
        .flag(rss::SURFACE_ARRAY, true)
        .with(
            rss::SURFACE_VERTICAL_ALIGNMENT,
            surface_vertical_alignment::VALIGN_4,
        )
        .with(
            rss::SURFACE_HORIZONTAL_ALIGNMENT,
            surface_horizontal_alignment::HALIGN_4,
        )
        .with(rss::TILE_MODE, tile_mode::YMAJOR)
        .with(rss::WIDTH, last(area.x, area.width) & 0x3fff)
        .with(rss::HEIGHT, last(area.y, area.height) & 0x3fff)
        .with(rss::DEPTH, last_layer & 0x7ff)
        .with(rss::RENDER_TARGET_VIEW_EXTENT, last_layer & 0x7ff)
        .dwords
}

/// Targets with one colour target, for meta draws of rectangles.
pub(super) fn single_target(surface: SurfaceStateWords, area: &PixelRect) -> RenderTargets {
    let mut colours = [None; TARGETS];
    colours[0] = Some(surface);
    RenderTargets {
        colours,
        records: [None; TARGETS],
        null: null_surface(area, 1),
        depth_stencil: DepthStencilTarget::default(),
        area: *area,
        dithered: false,
        inherited: false,
    }
}

/// Sets viewport, scissor and sample count to cover an area with rectangles that start at the
/// origin.
pub(super) fn set_area(state: &mut FixedFunctionState, area: &PixelRect, samples: u8) {
    let [width, height] = [area.x + area.width, area.y + area.height].map(|px| px as f32);
    state.multisample.samples = samples;
    if let Some(viewport) = state.viewports.first_mut() {
        *viewport = Viewport {
            x: 0.0,
            y: 0.0,
            width,
            height,
            near: 0.0,
            far: 0.0,
        };
    }
    if let Some(scissor) = state.scissors.first_mut() {
        *scissor = *area;
    }
}
