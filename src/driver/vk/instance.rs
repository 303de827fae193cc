//! Instances: version, extensions, physical devices.

use std::sync::{Arc, OnceLock};

use crate::diagnosis::Diagnosis;
use crate::error::{Error, Result};
use crate::extension;
use crate::physical::PhysicalDevice;

/// Provides the kernel interface of each GPU, opened anew at each call.
pub type KernelSource = Arc<dyn Fn() -> Vec<Arc<dyn i915::Kernel>> + Send + Sync>;

/// Another Vulkan driver that GPUs are left to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherDriver {
    /// Which one, and how to use this driver all the same: the end of a sentence that begins with a
    /// GPU.
    pub message: String,
}

/// Where an instance takes its GPUs from.
pub enum GpuSource {
    /// The render nodes of the machine.
    Nodes {
        /// The driver that they are left to, if any: none becomes a device then.
        left_to: Option<OtherDriver>,
    },
    /// Implementations of the kernel interface.
    Kernels(KernelSource),
}

/// What enumerating the GPUs found.
#[derive(Debug, Default)]
struct Enumeration {
    devices: Vec<Arc<PhysicalDevice>>,
    unusable: Vec<UnusableGpu>,
}

/// A GPU that is no physical device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableGpu {
    /// One line: the render node, and why it cannot be used.
    pub message: String,
    /// Whether it is, or may be, an Intel GPU.
    pub concerns_intel: bool,
}

/// `VkInstance`.
pub struct Instance {
    source: GpuSource,
    diagnosis: Diagnosis,
    enumeration: OnceLock<Enumeration>,
    extensions: Arc<[&'static str]>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("enumeration", &self.enumeration)
            .field("extensions", &self.extensions)
            .finish()
    }
}

impl Instance {
    /// Creates an instance whose devices come from `source`.
    pub fn new(
        source: GpuSource,
        diagnosis: Diagnosis,
        layers: &[String],
        extensions: &[String],
    ) -> Result<Arc<Self>> {
        if let Some(name) = layers.first() {
            return Err(Error::LayerNotPresent { name: name.clone() });
        }
        let extensions = enabled(extension::INSTANCE.iter(), extensions)?.into();
        Ok(Arc::new(Self {
            source,
            diagnosis,
            enumeration: OnceLock::new(),
            extensions,
        }))
    }

    /// The physical devices, enumerated at the first call.
    pub fn devices(&self) -> &[Arc<PhysicalDevice>] {
        &self.enumeration().devices
    }

    /// The GPUs that are no physical devices, with the reasons; enumerated at the first call.
    pub fn unusable_gpus(&self) -> &[UnusableGpu] {
        &self.enumeration().unusable
    }

    /// Enumerates the GPUs at the first call, and logs why others are not usable.
    fn enumeration(&self) -> &Enumeration {
        self.enumeration.get_or_init(|| {
            let enumeration = match &self.source {
                GpuSource::Kernels(source) => self.probe_kernels(source()),
                GpuSource::Nodes { left_to } => self.survey_nodes(left_to.as_ref()),
            };
            for gpu in &enumeration.unusable {
                self.diagnosis
                    .log(debug::Flag::Api, || format!("ingot: {}\n", gpu.message));
            }
            enumeration
        })
    }

    fn probe_kernels(&self, kernels: Vec<Arc<dyn i915::Kernel>>) -> Enumeration {
        let mut enumeration = Enumeration::default();
        for (index, kernel) in kernels.into_iter().enumerate() {
            let opened = match i915::probe(kernel, None) {
                Ok(gpu) => self.open(gpu).map_err(|error| error.to_string()),
                Err(error) => Err(error.to_string()),
            };
            match opened {
                Ok(device) => enumeration.devices.push(device),
                Err(reason) => enumeration.unusable.push(UnusableGpu {
                    message: format!("simulated GPU {}: {reason}", index + 1),
                    concerns_intel: true,
                }),
            }
        }
        enumeration
    }

    fn survey_nodes(&self, left_to: Option<&OtherDriver>) -> Enumeration {
        let mut enumeration = Enumeration::default();
        let nodes = i915::nodes::survey();
        if nodes.is_empty() {
            self.diagnosis.log(debug::Flag::Api, || {
                format!("ingot: {}\n", i915::nodes::NO_NODES)
            });
        }
        for node in nodes {
            let message = node.to_string();
            let concerns_intel = node.is_unusable_intel();
            let mut refuse = |message: String, concerns_intel: bool| {
                enumeration.unusable.push(UnusableGpu {
                    message,
                    concerns_intel,
                });
            };
            match (node.outcome, left_to) {
                (Ok(_), Some(driver)) => refuse(format!("{message}: {}", driver.message), false),
                (Ok(gpu), None) => match self.open((gpu.file, gpu.info)) {
                    Ok(device) => enumeration.devices.push(device),
                    Err(error) => refuse(format!("{}: {error}", node.path.display()), true),
                },
                (Err(_), _) => refuse(message, concerns_intel),
            }
        }
        enumeration
    }

    /// The physical device of a probed GPU.
    fn open(&self, (file, info): (Arc<i915::File>, i915::GpuInfo)) -> Result<Arc<PhysicalDevice>> {
        PhysicalDevice::new(file, info, &self.diagnosis, &self.extensions)
    }

    /// Whether an extension was enabled.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }
}

/// Looks up enabled extensions. Fails for an unknown name.
pub fn enabled(
    offered: impl Iterator<Item = &'static extension::Extension> + Clone,
    names: &[String],
) -> Result<Vec<&'static str>> {
    let known = |name: &String| {
        let mut rows = offered.clone().map(|row| row.name);
        rows.find(|offered| offered == name)
    };
    names
        .iter()
        .map(|name| known(name).ok_or_else(|| Error::ExtensionNotPresent { name: name.clone() }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_refused() {
        let none = || GpuSource::Kernels(Arc::new(Vec::new));
        assert!(
            Instance::new(
                none(),
                Diagnosis::default(),
                &[],
                &["VK_KHR_surface_of_mars".into()]
            )
            .is_err()
        );
        assert!(Instance::new(none(), Diagnosis::default(), &["VK_LAYER_x".into()], &[]).is_err());
        let good = Instance::new(
            none(),
            Diagnosis::default(),
            &[],
            &["VK_KHR_get_physical_device_properties2".into()],
        )
        .unwrap();
        assert!(good.has("VK_KHR_get_physical_device_properties2"));
        assert!(good.devices().is_empty());
    }
}
