//! Entry points of images, image views, and format queries.
//!
//! In:  create infos and queries. Out: objects of `vk`, and the properties of formats.

use std::sync::Arc;

use ash::vk as c;
use vk::image::{Image, ImageCreateInfo, View, ViewInfo, have_compatible_compression};
use vk::image_limits::ImageQuery;
use vk::modifier::{MODIFIERS, PlaneLayout, PlaneLayouts};

use crate::device::{bind_each, write_requirements};
use crate::entry::{done, entries};
use crate::{chain, handle, host_copy, raw};

entries! { IMAGE:
    Physical vkGetPhysicalDeviceFormatProperties(
        physical_device: c::PhysicalDevice,
        format: c::Format,
        format_properties: *mut c::FormatProperties,
    ) {
        raw::write(format_properties, core_format_properties(&handle::get(physical_device)?.format_properties(format)));
        Ok(())
    }

    Physical vkGetPhysicalDeviceFormatProperties2(
        physical_device: c::PhysicalDevice,
        format: c::Format,
        format_properties: *mut c::FormatProperties2<'_>,
    ) {
        let device = handle::get(physical_device)?;
        if let Some(out) = format_properties.as_mut() {
            let found = device.format_properties(format);
            out.format_properties = core_format_properties(&found);
            for node in raw::chain(out.p_next) {
                match (*node).s_type {
                    c::StructureType::FORMAT_PROPERTIES_3 => {
                        let node = &mut *node.cast::<c::FormatProperties3<'_>>();
                        node.linear_tiling_features = found.linear_tiling_features;
                        node.optimal_tiling_features = found.optimal_tiling_features;
                        node.buffer_features = found.buffer_features;
                    }
                    c::StructureType::DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT => {
                        let node = &mut *node.cast::<c::DrmFormatModifierPropertiesListEXT<'_>>();
                        let all = device.modifiers(format).map(|(modifier, features, planes)| {
                            c::DrmFormatModifierPropertiesEXT {
                                drm_format_modifier: modifier.code,
                                drm_format_modifier_plane_count: planes,
                                drm_format_modifier_tiling_features: vk::format::older(features),
                            }
                        });
                        let all: Vec<_> = all.collect();
                        let count = &raw mut node.drm_format_modifier_count;
                        // The count tells the application whether the list was truncated.
                        let _ = raw::write_list(all.into_iter(), count, node.p_drm_format_modifier_properties);
                    }
                    c::StructureType::DRM_FORMAT_MODIFIER_PROPERTIES_LIST_2_EXT => {
                        let node = &mut *node.cast::<c::DrmFormatModifierPropertiesList2EXT<'_>>();
                        let all = device.modifiers(format).map(|(modifier, features, planes)| {
                            c::DrmFormatModifierProperties2EXT {
                                drm_format_modifier: modifier.code,
                                drm_format_modifier_plane_count: planes,
                                drm_format_modifier_tiling_features: features,
                            }
                        });
                        let all: Vec<_> = all.collect();
                        let count = &raw mut node.drm_format_modifier_count;
                        let _ = raw::write_list(all.into_iter(), count, node.p_drm_format_modifier_properties);
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    Physical vkGetPhysicalDeviceImageFormatProperties(
        physical_device: c::PhysicalDevice,
        format: c::Format,
        ty: c::ImageType,
        tiling: c::ImageTiling,
        usage: c::ImageUsageFlags,
        flags: c::ImageCreateFlags,
        image_format_properties: *mut c::ImageFormatProperties,
    ) -> c::Result {
        raw::write(image_format_properties, c::ImageFormatProperties::default());
        let question = ImageQuery { format, dimension: ty, tiling, usage, flags, modifier: None };
        raw::write(image_format_properties, handle::get(physical_device)?.image_format_properties(&question)?);
        done()
    }

    Physical vkGetPhysicalDeviceImageFormatProperties2(
        physical_device: c::PhysicalDevice,
        image_format_info: *const c::PhysicalDeviceImageFormatInfo2<'_>,
        image_format_properties: *mut c::ImageFormatProperties2<'_>,
    ) -> c::Result {
        let info = raw::reference(image_format_info, "VkPhysicalDeviceImageFormatInfo2")?;
        let device = handle::get(physical_device)?;
        let out = image_format_properties.as_mut().ok_or(vk::Error::BadHandle { what: "VkImageFormatProperties2" })?;
        out.image_format_properties = c::ImageFormatProperties::default();
        let question = ImageQuery {
            format: info.format,
            dimension: info.ty,
            tiling: info.tiling,
            usage: stencil_usage(info.p_next, info.usage),
            flags: info.flags,
            modifier: raw::find_in_chain::<c::PhysicalDeviceImageDrmFormatModifierInfoEXT<'_>>(info.p_next)
                .map(|node| node.drm_format_modifier),
        };
        let found = device.image_format_properties(&question)?;
        let external = raw::find_in_chain::<c::PhysicalDeviceExternalImageFormatInfo<'_>>(info.p_next);
        let external = external.filter(|node| !node.handle_type.is_empty());
        let shared = external.map(|node| chain::external_memory(node.handle_type));
        // The application can lay out only linear images in host memory.
        let unusable = info.tiling == c::ImageTiling::OPTIMAL
            && external.is_some_and(|node| node.handle_type == vk::memory::HOST);
        if unusable || shared.is_some_and(|shared| shared.external_memory_features.is_empty()) {
            return Err(vk::Error::FormatNotSupported);
        }
        out.image_format_properties = found;
        for node in raw::chain(out.p_next) {
            match (*node).s_type {
                c::StructureType::EXTERNAL_IMAGE_FORMAT_PROPERTIES => {
                    let node = &mut *node.cast::<c::ExternalImageFormatProperties<'_>>();
                    node.external_memory_properties = shared.unwrap_or_default();
                }
                c::StructureType::HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY_EXT => {
                    let node = &mut *node.cast::<c::HostImageCopyDevicePerformanceQueryEXT<'_>>();
                    [node.optimal_device_access, node.identical_memory_layout] =
                        host_copy::performance(info.tiling, info.usage);
                }
                c::StructureType::SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES => {
                    let node = &mut *node.cast::<c::SamplerYcbcrConversionImageFormatProperties<'_>>();
                    node.combined_image_sampler_descriptor_count = combined_descriptor_count(info.format);
                }
                _ => {}
            }
        }
        done()
    }

    Device vkCreateImage(
        device: c::Device,
        create_info: *const c::ImageCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        image: *mut c::Image,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkImageCreateInfo")?;
        raw::write(image, handle::create_with(allocator, new_image(device.context(), info)?)?);
        done()
    }

    Device vkDestroyImage(device: c::Device, image: c::Image, allocator: *const c::AllocationCallbacks<'_>) {
        if let Some(object) = handle::remove(image) {
            let reports = &handle::get(device)?.reports;
            object.bound_ranges().for_each(|range| reports.binding(image, range, false));
        }
        Ok(())
    }

    Device vkCreateImageView(
        device: c::Device,
        create_info: *const c::ImageViewCreateInfo<'_>,
        allocator: *const c::AllocationCallbacks<'_>,
        view: *mut c::ImageView,
    ) -> c::Result {
        let device = handle::get(device)?;
        let info = raw::reference(create_info, "VkImageViewCreateInfo")?;
        let created = new_view(device.context(), info)?;
        raw::write(view, handle::create_with(allocator, Arc::new(created))?);
        done()
    }

    Device vkDestroyImageView(
        device: c::Device,
        image_view: c::ImageView,
        allocator: *const c::AllocationCallbacks<'_>,
    ) {
        handle::destroy(image_view);
        Ok(())
    }

    Device vkBindImageMemory(
        device: c::Device,
        image: c::Image,
        memory: c::DeviceMemory,
        memory_offset: c::DeviceSize,
    ) -> c::Result {
        bind(device, image, None, memory, memory_offset)?;
        done()
    }

    Device vkBindImageMemory2(
        device: c::Device,
        bind_info_count: u32,
        bind_infos: *const c::BindImageMemoryInfo<'_>,
    ) -> c::Result {
        let infos = raw::slice(bind_infos, bind_info_count);
        bind_each(infos, |info| info.p_next, |info| {
            let chained = raw::find_in_chain::<c::BindImageMemorySwapchainInfoKHR<'_>>(info.p_next);
            if let Some(node) = chained.filter(|node| node.swapchain != c::SwapchainKHR::null()) {
                return bind_to_swapchain(handle::get(info.image)?, node);
            }
            let plane = raw::find_in_chain::<c::BindImagePlaneMemoryInfo<'_>>(info.p_next).map(|node| node.plane_aspect);
            bind(device, info.image, plane, info.memory, info.memory_offset)
        })
    }

    Device vkGetImageMemoryRequirements(
        device: c::Device,
        image: c::Image,
        memory_requirements: *mut c::MemoryRequirements,
    ) {
        raw::write(memory_requirements, requirements(device, handle::get(image)?, None)?);
        Ok(())
    }

    Device vkGetImageMemoryRequirements2(
        device: c::Device,
        info: *const c::ImageMemoryRequirementsInfo2<'_>,
        memory_requirements: *mut c::MemoryRequirements2<'_>,
    ) {
        let info = raw::reference(info, "VkImageMemoryRequirementsInfo2")?;
        let plane = raw::find_in_chain::<c::ImagePlaneMemoryRequirementsInfo<'_>>(info.p_next).map(|node| node.plane_aspect);
        write_requirements(memory_requirements, requirements(device, handle::get(info.image)?, plane)?);
        Ok(())
    }

    Device vkGetDeviceImageMemoryRequirements(
        device: c::Device,
        info: *const c::DeviceImageMemoryRequirements<'_>,
        memory_requirements: *mut c::MemoryRequirements2<'_>,
    ) {
        let context = handle::get(device)?.context();
        let query = raw::reference(info, "VkDeviceImageMemoryRequirements")?;
        let info = raw::reference(query.p_create_info, "VkImageCreateInfo")?;
        let image = new_image(context, info)?;
        let disjoint = info.flags.contains(c::ImageCreateFlags::DISJOINT);
        let plane = disjoint.then_some(query.plane_aspect);
        write_requirements(memory_requirements, requirements(device, &image, plane)?);
        Ok(())
    }

    // Sparse images are not supported.
    Device vkGetImageSparseMemoryRequirements(
        device: c::Device,
        image: c::Image,
        sparse_memory_requirement_count: *mut u32,
        sparse_memory_requirements: *mut c::SparseImageMemoryRequirements,
    ) {
        raw::write(sparse_memory_requirement_count, 0);
        Ok(())
    }

    Device vkGetImageSparseMemoryRequirements2(
        device: c::Device,
        info: *const c::ImageSparseMemoryRequirementsInfo2<'_>,
        sparse_memory_requirement_count: *mut u32,
        sparse_memory_requirements: *mut c::SparseImageMemoryRequirements2<'_>,
    ) {
        raw::write(sparse_memory_requirement_count, 0);
        Ok(())
    }

    Device vkGetDeviceImageSparseMemoryRequirements(
        device: c::Device,
        info: *const c::DeviceImageMemoryRequirements<'_>,
        sparse_memory_requirement_count: *mut u32,
        sparse_memory_requirements: *mut c::SparseImageMemoryRequirements2<'_>,
    ) {
        raw::write(sparse_memory_requirement_count, 0);
        Ok(())
    }

    Device ["VK_EXT_image_drm_format_modifier"] vkGetImageDrmFormatModifierPropertiesEXT(
        device: c::Device,
        image: c::Image,
        properties: *mut c::ImageDrmFormatModifierPropertiesEXT<'_>,
    ) -> c::Result {
        let modifier = handle::get(image)?.info.question.modifier;
        let modifier = modifier.ok_or(vk::Error::InvalidUse { why: "an image without a modifier" })?;
        if let Some(out) = properties.as_mut() {
            out.drm_format_modifier = modifier;
        }
        done()
    }

    Device vkGetImageSubresourceLayout(
        device: c::Device,
        image: c::Image,
        subresource: *const c::ImageSubresource,
        layout: *mut c::SubresourceLayout,
    ) {
        let subresource = raw::reference(subresource, "VkImageSubresource")?;
        raw::write(layout, subresource_layout(handle::get(image)?, subresource)?);
        Ok(())
    }

    Device vkGetImageSubresourceLayout2(
        device: c::Device,
        image: c::Image,
        subresource: *const c::ImageSubresource2KHR<'_>,
        layout: *mut c::SubresourceLayout2KHR<'_>,
    ) {
        let subresource = raw::reference(subresource, "VkImageSubresource2")?;
        if let Some(out) = layout.as_mut() {
            write_subresource_layout(handle::get(image)?, &subresource.image_subresource, out)?;
        }
        Ok(())
    }

    Device vkGetDeviceImageSubresourceLayout(
        device: c::Device,
        info: *const c::DeviceImageSubresourceInfoKHR<'_>,
        layout: *mut c::SubresourceLayout2KHR<'_>,
    ) {
        let context = handle::get(device)?.context();
        let query = raw::reference(info, "VkDeviceImageSubresourceInfo")?;
        let info = raw::reference(query.p_create_info, "VkImageCreateInfo")?;
        let subresource = raw::reference(query.p_subresource, "VkImageSubresource2")?;
        if let Some(out) = layout.as_mut() {
            write_subresource_layout(&*new_image(context, info)?, &subresource.image_subresource, out)?;
        }
        Ok(())
    }
}

/// Binds an image or a disjoint plane, and reports its addresses.
///
/// # Safety
/// As [`handle::get`].
unsafe fn bind(
    device: c::Device,
    image: c::Image,
    plane: Option<c::ImageAspectFlags>,
    memory: c::DeviceMemory,
    offset: c::DeviceSize,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let (device, object, memory) = unsafe {
        (
            handle::get(device)?,
            handle::get(image)?,
            handle::get(memory)?,
        )
    };
    object.bind(plane, memory, offset)?;
    // A plane's range is the one that starts where it was bound.
    let address = memory.address() + offset;
    let bound = object.bound_ranges().find(|range| range.0 == address);
    if let Some(range) = bound {
        device.reports.binding(image, range, true);
    }
    Ok(())
}

/// Writes the layout of a subresource, and what the structures in its chain ask for.
///
/// # Safety
/// The chain is valid.
unsafe fn write_subresource_layout(
    image: &Image,
    subresource: &c::ImageSubresource,
    out: &mut c::SubresourceLayout2KHR<'_>,
) -> vk::Result<()> {
    out.subresource_layout = subresource_layout(image, subresource)?;
    // SAFETY: as the caller says.
    for node in unsafe { raw::chain(out.p_next) } {
        // SAFETY: a node of the chain; `sType` determines its type.
        if unsafe { (*node).s_type } == c::StructureType::SUBRESOURCE_HOST_MEMCPY_SIZE_EXT {
            // SAFETY: `sType` says that the node is of this type.
            let node = unsafe { &mut *node.cast::<c::SubresourceHostMemcpySizeEXT<'_>>() };
            let (aspect, level) = (subresource.aspect_mask, subresource.mip_level);
            node.size = vk::command::memcpy_bytes(image, aspect, level)?;
        }
    }
    Ok(())
}

/// The layout of a subresource in memory.
fn subresource_layout(
    image: &Image,
    subresource: &c::ImageSubresource,
) -> vk::Result<c::SubresourceLayout> {
    image.host_layout(
        subresource.aspect_mask,
        subresource.mip_level,
        subresource.array_layer,
    )
}

/// Binds an image to the memory of a swapchain's image.
///
/// # Safety
/// As [`handle::get`].
unsafe fn bind_to_swapchain(
    image: &Image,
    info: &c::BindImageMemorySwapchainInfoKHR<'_>,
) -> vk::Result<()> {
    // SAFETY: as the caller says.
    let swapchain = unsafe { handle::get(info.swapchain)? };
    let frame = swapchain.frames.get(info.image_index as usize);
    let frame = frame.ok_or(vk::Error::InvalidUse {
        why: "an image that the swapchain does not have",
    })?;
    frame.bind(image)
}

/// The number of descriptors that a combined image sampler of a format consumes in a pool.
fn combined_descriptor_count(format: c::Format) -> u32 {
    vk::format::find(format).map_or(1, vk::format::Format::plane_count)
}

/// Format features reduced to the bits of core 1.0.
fn core_format_properties(found: &c::FormatProperties3<'_>) -> c::FormatProperties {
    c::FormatProperties {
        linear_tiling_features: vk::format::older(found.linear_tiling_features),
        optimal_tiling_features: vk::format::older(found.optimal_tiling_features),
        buffer_features: vk::format::older(found.buffer_features),
    }
}

/// The usage of an image, including the separate usage of its stencil aspect.
///
/// # Safety
/// As [`raw::find_in_chain`].
unsafe fn stencil_usage(
    chain: *const std::ffi::c_void,
    usage: c::ImageUsageFlags,
) -> c::ImageUsageFlags {
    // SAFETY: as the caller says.
    let node = unsafe { raw::find_in_chain::<c::ImageStencilUsageCreateInfo<'_>>(chain) };
    node.map_or(usage, |node| usage | node.stencil_usage)
}

/// The image of a create info.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn new_image(
    context: &vk::context::Context,
    info: &c::ImageCreateInfo<'_>,
) -> vk::Result<Arc<Image>> {
    let physical = &context.physical;
    // SAFETY: as the caller says.
    let (external, usage) = unsafe {
        (
            raw::find_in_chain::<c::ExternalMemoryImageCreateInfo<'_>>(info.p_next),
            stencil_usage(info.p_next, info.usage),
        )
    };
    let kinds = vk::memory::SHAREABLE | vk::memory::HOST;
    if external.is_some_and(|node| !kinds.contains(node.handle_types)) {
        return Err(vk::Error::FeatureNotPresent {
            what: "this kind of external memory",
        });
    }
    // SAFETY: as the caller says.
    let swapchain =
        unsafe { raw::find_in_chain::<c::ImageSwapchainCreateInfoKHR<'_>>(info.p_next) };
    if let Some(node) = swapchain.filter(|node| node.swapchain != c::SwapchainKHR::null()) {
        // SAFETY: as the caller says.
        let swapchain = unsafe { handle::get(node.swapchain)? };
        let frame = swapchain.frames.first().ok_or(vk::Error::BadHandle {
            what: "VkSwapchainKHR",
        })?;
        return Image::new(physical, &frame.image.info);
    }
    let question = ImageQuery {
        format: info.format,
        dimension: info.image_type,
        tiling: info.tiling,
        usage,
        flags: info.flags,
        modifier: None,
    };
    // SAFETY: as the caller says.
    let (modifier, layouts) = unsafe { modifier(physical, info, &question)? };
    let image_info = ImageCreateInfo {
        question: ImageQuery {
            modifier,
            ..question
        },
        extent_px: [info.extent.width, info.extent.height, info.extent.depth],
        levels: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples,
        // SAFETY: as the caller says.
        alike: unsafe { has_compatible_view_formats(physical, info) },
        shared: modifier.is_some() || external.is_some_and(|node| !node.handle_types.is_empty()),
        layouts,
        textures_without_aux: context.has_textures_without_aux(),
    };
    Image::new(physical, &image_info)
}

/// Whether all view formats of an image interpret compressed blocks as its own format does.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn has_compatible_view_formats(
    physical: &vk::PhysicalDevice,
    info: &c::ImageCreateInfo<'_>,
) -> bool {
    if !info.flags.contains(c::ImageCreateFlags::MUTABLE_FORMAT) {
        return true;
    }
    // SAFETY: as the caller says. (An empty list counts as no list.)
    unsafe {
        let list = raw::find_in_chain::<c::ImageFormatListCreateInfo<'_>>(info.p_next);
        let listed = list.filter(|list| list.view_format_count > 0);
        listed.is_some_and(|list| {
            let formats = raw::slice(list.p_view_formats, list.view_format_count);
            have_compatible_compression(physical, info.format, formats)
        })
    }
}

/// The modifier of an image: the explicit one with its plane layouts, or the best supported one of
/// a list. None for other tilings.
///
/// # Safety
/// The structure and its chain are valid.
unsafe fn modifier(
    physical: &vk::PhysicalDevice,
    info: &c::ImageCreateInfo<'_>,
    question: &ImageQuery,
) -> vk::Result<(Option<u64>, PlaneLayouts)> {
    if info.tiling != c::ImageTiling::DRM_FORMAT_MODIFIER_EXT {
        return Ok((None, PlaneLayouts::default()));
    }
    // SAFETY: as the caller says.
    unsafe {
        type Explicit<'a> = c::ImageDrmFormatModifierExplicitCreateInfoEXT<'a>;
        if let Some(node) = raw::find_in_chain::<Explicit<'_>>(info.p_next) {
            let mut layouts = PlaneLayouts::default();
            let planes = raw::slice(node.p_plane_layouts, node.drm_format_modifier_plane_count);
            for (to, plane) in layouts.iter_mut().zip(planes) {
                let pitch = u32::try_from(plane.row_pitch);
                let row_pitch = pitch.map_err(|_| vk::Error::InvalidPlaneLayout {
                    why: "a row pitch that does not fit 32 bits",
                })?;
                *to = Some(PlaneLayout {
                    offset: plane.offset,
                    row_pitch,
                    slice_pitch: plane.array_pitch.max(plane.depth_pitch),
                });
            }
            return Ok((Some(node.drm_format_modifier), layouts));
        }
        let list =
            raw::find_in_chain::<c::ImageDrmFormatModifierListCreateInfoEXT<'_>>(info.p_next);
        let list = list.ok_or(vk::Error::InvalidUse {
            why: "DRM_FORMAT_MODIFIER tiling without a modifier or a list of modifiers",
        })?;
        let candidates = raw::slice(list.p_drm_format_modifiers, list.drm_format_modifier_count);
        let supported = |code: u64| {
            let question = ImageQuery {
                modifier: Some(code),
                ..*question
            };
            candidates.contains(&code) && physical.image_format_properties(&question).is_ok()
        };
        let best = MODIFIERS.iter().map(|modifier| modifier.code);
        let best = best.into_iter().find(|&code| supported(code));
        best.map(|code| (Some(code), PlaneLayouts::default()))
            .ok_or(vk::Error::FormatNotSupported)
    }
}

/// The memory requirements of an image, or of one plane of a disjoint image.
///
/// # Safety
/// As [`handle::get`].
unsafe fn requirements(
    device: c::Device,
    image: &Image,
    plane: Option<c::ImageAspectFlags>,
) -> vk::Result<c::MemoryRequirements> {
    // SAFETY: as the caller says.
    let device = unsafe { handle::get(device)? };
    let types = device.context().physical.resource_types();
    let found = image.requirements(plane, types)?;
    Ok(c::MemoryRequirements {
        size: found.bytes,
        alignment: found.alignment_bytes,
        memory_type_bits: found.type_bits,
    })
}

/// A view of an image.
///
/// # Safety
/// The structure and its chain are valid.
pub unsafe fn new_view(
    context: &vk::Context,
    info: &c::ImageViewCreateInfo<'_>,
) -> vk::Result<View> {
    // SAFETY: as the caller says.
    let (image, usage, min_lod, sliced) = unsafe {
        (
            handle::get(info.image)?,
            raw::find_in_chain::<c::ImageViewUsageCreateInfo<'_>>(info.p_next),
            raw::find_in_chain::<c::ImageViewMinLodCreateInfoEXT<'_>>(info.p_next),
            raw::find_in_chain::<c::ImageViewSlicedCreateInfoEXT<'_>>(info.p_next),
        )
    };
    let view_info = ViewInfo {
        kind: info.view_type,
        format: info.format,
        components: info.components,
        range: info.subresource_range,
        usage: usage.map_or(image.info.question.usage, |node| node.usage),
        min_lod: min_lod.map_or(0.0, |node| node.min_lod),
        slices: sliced.map(|node| (node.slice_offset, node.slice_count)),
    };
    View::new(&context.physical, image, &view_info)
}
