//! Render passes and framebuffers, lowered to renderings.
//!
//! In:  attachments, subpasses, dependencies. Out: the rendering and the dependencies of each
//!      subpass.
//! Ref: Vulkan 1.3, "Render Pass".

use std::sync::Arc;

use ash::vk as api;
use blit::ResolveMode;
use cmd::draw::state::TARGETS;
use smallvec::SmallVec;

use super::barrier::Dependency;
use super::layout_change::LayoutChange;
use super::target::{BeginRendering, ColourAttachment, DepthStencil, InheritedRendering, LoadOp};
use super::views::ViewMask;
use crate::error::{Error, Result};
use crate::image::View;

/// An attachment of a render pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attachment {
    /// Colour or depth is cleared at the first use.
    pub clear: bool,
    /// Stencil is cleared at the first use.
    pub clear_stencil: bool,
    /// Aspects of its format.
    pub aspects: api::ImageAspectFlags,
    /// Hardware format, for colour attachments.
    pub format: &'static hw::Format,
    /// Sample count.
    pub samples: u8,
    /// Initial and final layout.
    pub layouts: [api::ImageLayout; 2],
    /// Resolves to it average sRGB samples as they are encoded, not their linear values.
    pub resolves_encoded: bool,
}

/// A subpass; attachments are given by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subpass {
    /// Colour attachments.
    pub colours: Vec<Option<u32>>,
    /// Depth and stencil attachment.
    pub depth_stencil: Option<u32>,
    /// Resolve attachments of the colour attachments.
    pub resolves: Vec<Option<u32>>,
    /// Resolve attachment of depth and stencil.
    pub depth_stencil_resolve: Option<DepthStencilResolve>,
    /// Input attachments.
    pub inputs: Vec<Option<u32>>,
    /// Layouts of the attachments in this subpass.
    pub layouts: Vec<(u32, api::ImageLayout)>,
    /// View mask.
    pub views: ViewMask,
    /// Draws dither their colours.
    pub dithered: bool,
}

/// A resolve of depth and stencil.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthStencilResolve {
    /// The resolve attachment.
    pub attachment: u32,
    /// Resolve mode of depth. `None`: no resolve.
    pub depth: Option<ResolveMode>,
    /// Resolve mode of stencil.
    pub stencil: Option<ResolveMode>,
}

/// A dependency between subpasses. `None` stands for what is outside the render pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubpassDependency {
    /// The earlier subpass.
    pub source: Option<u32>,
    /// The later subpass.
    pub destination: Option<u32>,
    /// The dependency.
    pub dependency: Dependency,
}

/// `VkRenderPass`.
#[derive(Debug)]
pub struct RenderPass {
    attachments: Vec<Attachment>,
    subpasses: Vec<Subpass>,
    dependencies: Vec<SubpassDependency>,
}

const OUT_OF_RANGE: Error = Error::InvalidUse {
    why: "a subpass or an attachment beyond its render pass",
};

impl Subpass {
    fn attachments(&self) -> impl Iterator<Item = u32> {
        let colours = self.colours.iter().flatten();
        let resolve = self.depth_stencil_resolve.map(|to| to.attachment);
        let all = colours.chain(&self.depth_stencil);
        all.chain(self.resolves.iter().flatten())
            .chain(self.inputs.iter().flatten())
            .copied()
            .chain(resolve)
    }
}

impl RenderPass {
    /// Creates a render pass. Fails if a subpass refers to attachments that do not exist.
    pub fn new(
        attachments: Vec<Attachment>,
        subpasses: Vec<Subpass>,
        dependencies: Vec<SubpassDependency>,
    ) -> Result<Self> {
        let count = attachments.len() as u32;
        for subpass in &subpasses {
            if subpass.colours.len() > TARGETS || subpass.attachments().any(|at| at >= count) {
                return Err(OUT_OF_RANGE);
            }
        }
        let mut pass = Self {
            attachments,
            subpasses,
            dependencies,
        };
        pass.add_implicit_dependencies();
        Ok(pass)
    }

    /// Adds the implicit subpass dependencies to VK_SUBPASS_EXTERNAL: from the last subpass that
    /// uses an attachment, if the application gives none and the layout changes there. Those from
    /// VK_SUBPASS_EXTERNAL wait for nothing and make nothing available.
    fn add_implicit_dependencies(&mut self) {
        for (number, attachment) in (0..).zip(&self.attachments) {
            let uses = |subpass: &Subpass| subpass.attachments().any(|at| at == number);
            let Some(source) = self.subpasses.iter().rposition(uses) else {
                continue;
            };
            let subpass = &self.subpasses[source];
            let mut layouts = subpass.layouts.iter().rev();
            let layout = layouts.find(|(at, _)| *at == number);
            let changes = layout.is_some_and(|(_, layout)| *layout != attachment.layouts[1]);
            let end = SubpassDependency {
                source: Some(source as u32),
                destination: None,
                dependency: Dependency::IMPLICIT_TO_EXTERNAL,
            };
            let known =
                |d: &SubpassDependency| (d.source, d.destination) == (end.source, end.destination);
            if changes && !self.dependencies.iter().any(known) {
                self.dependencies.push(end);
            }
        }
    }

    /// Dependencies to emit before a subpass; an index beyond the last subpass stands for the end
    /// of the render pass.
    pub fn waits(&self, subpass: usize) -> impl Iterator<Item = &Dependency> {
        let number = (subpass < self.subpasses.len()).then_some(subpass as u32);
        let all = self.dependencies.iter();
        // Self-dependencies only permit barriers within the subpass.
        let own_views = all.filter(move |d| d.destination == number && d.source != number);
        own_views.map(|d| &d.dependency)
    }

    /// View mask of a subpass.
    pub fn views(&self, subpass: u32) -> Result<ViewMask> {
        let subpass = self.subpasses.get(subpass as usize).ok_or(OUT_OF_RANGE)?;
        Ok(subpass.views)
    }

    /// Whether the depth and stencil attachment of a subpass is also an input attachment.
    pub fn reads_tests(&self, subpass: u32) -> Result<bool> {
        let subpass = self.subpasses.get(subpass as usize).ok_or(OUT_OF_RANGE)?;
        let tested = subpass.depth_stencil;
        Ok(tested.is_some() && subpass.inputs.contains(&tested))
    }

    /// What a secondary command buffer inherits in a subpass.
    pub fn inherited(&self, subpass: u32) -> Result<InheritedRendering> {
        let subpass = self.subpasses.get(subpass as usize).ok_or(OUT_OF_RANGE)?;
        let mut inherited = InheritedRendering {
            views: subpass.views,
            dithered: subpass.dithered,
            ..InheritedRendering::default()
        };
        for (to, &number) in inherited.colours.iter_mut().zip(&subpass.colours) {
            let Some(number) = number else { continue };
            let attachment = self.attachment(number)?;
            *to = Some(attachment.format);
            inherited.samples = inherited.samples.max(attachment.samples);
        }
        if let Some(number) = subpass.depth_stencil {
            let attachment = self.attachment(number)?;
            let has_aspect = |aspect| attachment.aspects.contains(aspect);
            inherited.depth = has_aspect(api::ImageAspectFlags::DEPTH);
            inherited.stencil = has_aspect(api::ImageAspectFlags::STENCIL);
            inherited.samples = inherited.samples.max(attachment.samples);
        }
        Ok(inherited)
    }

    fn attachment(&self, number: u32) -> Result<&Attachment> {
        self.attachments.get(number as usize).ok_or(OUT_OF_RANGE)
    }
}

/// `VkFramebuffer`; empty if imageless.
#[derive(Debug)]
pub struct Framebuffer {
    /// Attachment views; empty if they are given at the beginning of the render pass.
    pub views: Vec<Arc<View>>,
    /// Number of layers.
    pub layers: u32,
}

/// A layout change of a view.
#[derive(Clone, Debug)]
pub(super) struct AttachmentTransition {
    pub view: Arc<View>,
    pub layouts: [api::ImageLayout; 2],
}

impl AttachmentTransition {
    /// The layout change of the view's range.
    pub fn change(&self) -> LayoutChange<'_> {
        let view = &self.view;
        LayoutChange {
            image: &view.image,
            range: api::ImageSubresourceRange {
                aspect_mask: view.image.format.aspects(),
                base_mip_level: view.first_level,
                level_count: 1,
                base_array_layer: view.first_layer,
                layer_count: view.layers,
            },
            layouts: self.layouts,
            foreign: [false; 2],
        }
    }
}

/// An active render pass instance.
#[derive(Clone, Debug)]
pub struct RenderPassInstance {
    /// The render pass.
    pub render_pass: Arc<RenderPass>,
    /// Attachment views.
    pub views: smallvec::SmallVec<[Arc<View>; 4]>,
    /// Clear values by attachment: four dwords, or depth and stencil.
    pub clears: smallvec::SmallVec<[[u32; 4]; 4]>,
    /// Render area.
    pub area: api::Rect2D,
    /// Number of layers.
    pub layers: u32,
    /// Current subpass.
    pub subpass: usize,
    /// Current layouts of the attachments; empty: the initial layouts.
    pub layouts: smallvec::SmallVec<[api::ImageLayout; 4]>,
}

impl RenderPassInstance {
    fn clear_of(&self, number: u32) -> [u32; 4] {
        self.clears.get(number as usize).copied().unwrap_or([0; 4])
    }

    fn view(&self, number: u32) -> Result<&View> {
        let view = self.views.get(number as usize);
        view.map(|view| &**view).ok_or(OUT_OF_RANGE)
    }

    /// Earlier subpasses that use an attachment.
    fn earlier_uses(&self, number: u32) -> impl Iterator<Item = &Subpass> {
        let before = self.render_pass.subpasses.get(..self.subpass);
        let before = before.unwrap_or_default().iter();
        before.filter(move |before| before.attachments().any(|at| at == number))
    }

    /// The views in which this subpass is the first to use an attachment. `None`: there are none.
    fn first_use(&self, number: u32) -> Option<ViewMask> {
        let own_views = self.render_pass.subpasses.get(self.subpass)?.views;
        let mut before = self.earlier_uses(number);
        if own_views.is_none() {
            return before.next().is_none().then_some(own_views);
        }
        let used = before.fold(ViewMask::default(), |used, before| used.with(before.views));
        Some(own_views.without(used)).filter(|first_use| !first_use.is_none())
    }

    /// Whether the current subpass exists.
    pub(super) fn has_subpass(&self) -> bool {
        self.subpass < self.render_pass.subpasses.len()
    }

    /// Layout changes before the current subpass or, after the last one, at the end of the render
    /// pass. The layouts are updated.
    pub(super) fn transitions(&mut self) -> SmallVec<[AttachmentTransition; 4]> {
        let pass = &self.render_pass;
        if self.layouts.is_empty() {
            let before = pass
                .attachments
                .iter()
                .map(|attachment| attachment.layouts[0]);
            self.layouts.extend(before);
        }
        let mut all = SmallVec::new();
        let mut change = |number: u32, new: api::ImageLayout| {
            let number = number as usize;
            let (Some(old), Some(view)) = (self.layouts.get_mut(number), self.views.get(number))
            else {
                return;
            };
            if *old != new {
                all.push(AttachmentTransition {
                    view: Arc::clone(view),
                    layouts: [*old, new],
                });
                *old = new;
            }
        };
        match pass.subpasses.get(self.subpass) {
            Some(subpass) => {
                for &(number, new) in &subpass.layouts {
                    change(number, new);
                }
            }
            None => {
                for (number, attachment) in (0..).zip(&pass.attachments) {
                    change(number, attachment.layouts[1]);
                }
            }
        }
        all
    }

    /// The current layout of an attachment.
    fn layout(&self, number: u32) -> api::ImageLayout {
        let layout = self.layouts.get(number as usize);
        layout.copied().unwrap_or(api::ImageLayout::GENERAL)
    }

    /// Renderings that only clear: of attachments that are used for the first time as input or
    /// resolve attachment, without being rendered to. Colour resolve attachments are written as a
    /// whole, as are the resolved aspects, so these need no clear.
    pub(super) fn separate_clears(&self) -> Result<Vec<BeginRendering<'_>>> {
        let pass = &self.render_pass;
        let subpass = pass.subpasses.get(self.subpass).ok_or(OUT_OF_RANGE)?;
        let drawn = |number: u32| {
            let mut drawn = subpass.colours.iter().chain([&subpass.depth_stencil]);
            drawn.any(|&at| at == Some(number))
        };
        let resolve = subpass.depth_stencil_resolve;
        let read = subpass.inputs.iter().copied().flatten();
        let mut all = Vec::new();
        let mut cleared: SmallVec<[u32; 4]> = SmallVec::new();
        for number in read.chain(resolve.map(|to| to.attachment)) {
            let attachment = pass.attachment(number)?;
            let clears = attachment.clear || attachment.clear_stencil;
            if !clears || drawn(number) || cleared.contains(&number) {
                continue;
            }
            cleared.push(number);
            let Some(first_use) = self.first_use(number) else {
                continue;
            };
            let resolved_here = resolve.filter(|to| to.attachment == number);
            let has_aspect = |aspect| attachment.aspects.contains(aspect);
            let depth = attachment.clear && has_aspect(api::ImageAspectFlags::DEPTH);
            let depth = depth && resolved_here.is_none_or(|to| to.depth.is_none());
            let stencil = attachment.clear_stencil && has_aspect(api::ImageAspectFlags::STENCIL);
            let stencil = stencil && resolved_here.is_none_or(|to| to.stencil.is_none());
            let colour = attachment.clear && has_aspect(api::ImageAspectFlags::COLOR);
            let value = self.clear_of(number);
            let view = self.view(number)?;
            let mut begin = BeginRendering {
                area: self.area,
                layers: subpass.views.end(self.layers),
                views: subpass.views,
                colours: [None; TARGETS],
                depth_stencil: (depth || stencil).then(|| DepthStencil {
                    view,
                    fresh: first_use,
                    layout: self.layout(number),
                    resolve_layout: api::ImageLayout::GENERAL,
                    depth: depth.then_some(LoadOp::Clear(f32::from_bits(value[0]))),
                    stencil: stencil.then_some(LoadOp::Clear(value[1])),
                    resolve_depth: None,
                    resolve_stencil: None,
                }),
                dithered: false,
            };
            if let (true, [first, ..]) = (colour, &mut begin.colours) {
                *first = Some(ColourAttachment {
                    view,
                    layout: self.layout(number),
                    load: LoadOp::Clear(value),
                    fresh: first_use,
                    resolve: None,
                    resolves_encoded: false,
                });
            }
            if colour || depth || stencil {
                all.push(begin);
            }
        }
        Ok(all)
    }

    /// The rendering of the current subpass.
    pub(super) fn begin(&self) -> Result<BeginRendering<'_>> {
        let pass = &self.render_pass;
        let subpass = pass.subpasses.get(self.subpass).ok_or(OUT_OF_RANGE)?;
        let mut colours = [None; TARGETS];
        for (index, (to, number)) in colours.iter_mut().zip(&subpass.colours).enumerate() {
            let &Some(number) = number else { continue };
            let resolve = subpass.resolves.get(index).copied().flatten();
            let clear = pass.attachment(number)?.clear;
            let first_use = self.first_use(number).filter(|_| clear);
            *to = Some(ColourAttachment {
                view: self.view(number)?,
                layout: self.layout(number),
                load: match first_use {
                    Some(_) => LoadOp::Clear(self.clear_of(number)),
                    None => LoadOp::Keep,
                },
                fresh: first_use.unwrap_or_default(),
                resolve: resolve
                    .map(|number| Ok::<_, Error>((self.view(number)?, self.layout(number))))
                    .transpose()?,
                resolves_encoded: match resolve {
                    Some(number) => pass.attachment(number)?.resolves_encoded,
                    None => false,
                },
            });
        }
        let depth_stencil = match subpass.depth_stencil {
            None => None,
            Some(number) => {
                let attachment = pass.attachment(number)?;
                let [depth, stencil, ..] = self.clear_of(number);
                let first_use = self.first_use(number);
                let first = first_use.is_some();
                let resolve = subpass.depth_stencil_resolve;
                let resolved = |asked: fn(&DepthStencilResolve) -> Option<ResolveMode>, aspect| {
                    // Source and destination must both have the aspect; the resolve attachment may
                    // lack one of the two.
                    let has_aspect = |attachment: &Attachment| attachment.aspects.contains(aspect);
                    let to = resolve.and_then(|to| Some((to.attachment, asked(&to)?)));
                    let to = to.filter(|(to, _)| {
                        has_aspect(attachment) && pass.attachment(*to).is_ok_and(has_aspect)
                    });
                    let view = |(to, choice)| Ok::<_, Error>((self.view(to)?, choice));
                    to.map(view).transpose()
                };
                let has_aspect = |aspect| attachment.aspects.contains(aspect);
                Some(DepthStencil {
                    view: self.view(number)?,
                    fresh: first_use.unwrap_or_default(),
                    layout: self.layout(number),
                    resolve_layout: resolve
                        .map_or(api::ImageLayout::GENERAL, |to| self.layout(to.attachment)),
                    depth: has_aspect(api::ImageAspectFlags::DEPTH).then_some(
                        match attachment.clear && first {
                            true => LoadOp::Clear(f32::from_bits(depth)),
                            false => LoadOp::Keep,
                        },
                    ),
                    stencil: has_aspect(api::ImageAspectFlags::STENCIL).then_some(
                        match attachment.clear_stencil && first {
                            true => LoadOp::Clear(stencil),
                            false => LoadOp::Keep,
                        },
                    ),
                    resolve_depth: resolved(|to| to.depth, api::ImageAspectFlags::DEPTH)?,
                    resolve_stencil: resolved(|to| to.stencil, api::ImageAspectFlags::STENCIL)?,
                })
            }
        };
        Ok(BeginRendering {
            area: self.area,
            layers: subpass.views.end(self.layers),
            views: subpass.views,
            colours,
            depth_stencil,
            dithered: subpass.dithered,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_belong_to_the_subpass_that_waits() {
        let edge = |source, destination| SubpassDependency {
            source,
            destination,
            dependency: Dependency::FULL,
        };
        let edges = vec![
            edge(None, Some(0)),
            edge(Some(0), Some(1)),
            edge(None, Some(1)),
            edge(Some(1), Some(1)),
            edge(Some(1), None),
        ];
        let pass = RenderPass::new(Vec::new(), vec![Subpass::default(); 2], edges).unwrap();
        let counts = [0, 1, 2].map(|subpass| pass.waits(subpass).count());
        assert_eq!(counts, [1, 2, 1]);
    }

    /// A colour attachment that is left in a layout.
    fn colour_left_in(layout: api::ImageLayout) -> Attachment {
        Attachment {
            clear: true,
            clear_stencil: false,
            aspects: api::ImageAspectFlags::COLOR,
            format: &hw::FORMATS[0],
            samples: 1,
            layouts: [api::ImageLayout::UNDEFINED, layout],
            resolves_encoded: false,
        }
    }

    #[test]
    fn a_changed_layout_implies_a_dependency_behind_the_last_use() {
        let drawn = api::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let read = api::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let draws = |number| Subpass {
            colours: vec![Some(number)],
            layouts: vec![(number, drawn)],
            ..Subpass::default()
        };
        let waits = |last, dependencies| {
            let attachments = vec![colour_left_in(last), colour_left_in(drawn)];
            let pass = RenderPass::new(attachments, vec![draws(0), draws(1)], dependencies);
            pass.unwrap().waits(2).copied().collect::<Vec<_>>()
        };
        let flush = Dependency::IMPLICIT_TO_EXTERNAL;
        assert_eq!(flush.pending(), cmd::PendingFlushes::FLUSH_TARGETS);
        assert_eq!(waits(read, Vec::new()), [flush]);
        assert_eq!(waits(drawn, Vec::new()), []);
        // An explicit one of the last subpass that uses the attachment replaces it.
        let edge = |source| SubpassDependency {
            source: Some(source),
            destination: None,
            dependency: Dependency::FULL,
        };
        assert_eq!(waits(read, vec![edge(0)]), [Dependency::FULL]);
        assert_eq!(waits(read, vec![edge(1)]), [Dependency::FULL, flush]);
    }

    #[test]
    fn attachments_beyond_the_pass_are_refused() {
        let subpass = Subpass {
            colours: vec![Some(1)],
            ..Subpass::default()
        };
        let attachment = colour_left_in(api::ImageLayout::GENERAL);
        let made = RenderPass::new(vec![attachment], vec![subpass], Vec::new());
        assert_eq!(made.err(), Some(OUT_OF_RANGE));
    }
}
