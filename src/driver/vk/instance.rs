//! Instances: version, extensions, physical devices.

use std::sync::{Arc, OnceLock};

use crate::diagnosis::Diagnosis;
use crate::error::{Error, Result};
use crate::extension;
use crate::physical::PhysicalDevice;

/// Provides the kernel interface of each GPU, opened anew at each call.
pub type KernelSource = Arc<dyn Fn() -> Vec<Arc<dyn i915::Kernel>> + Send + Sync>;

/// `VkInstance`.
pub struct Instance {
    source: Option<KernelSource>,
    diagnosis: Diagnosis,
    devices: OnceLock<Vec<Arc<PhysicalDevice>>>,
    extensions: Arc<[&'static str]>,
}

impl std::fmt::Debug for Instance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Instance")
            .field("devices", &self.devices)
            .field("extensions", &self.extensions)
            .finish()
    }
}

impl Instance {
    /// Creates an instance. Devices come from `source` or, without one, from the render nodes.
    pub fn new(
        source: Option<KernelSource>,
        diagnosis: Diagnosis,
        layers: &[String],
        extensions: &[String],
    ) -> Result<Arc<Self>> {
        if let Some(name) = layers.first() {
            return Err(Error::LayerNotPresent { name: name.clone() });
        }
        let extensions = enabled(extension::INSTANCE, extensions)?.into();
        Ok(Arc::new(Self {
            source,
            diagnosis,
            devices: OnceLock::new(),
            extensions,
        }))
    }

    /// The physical devices, enumerated at the first call.
    pub fn devices(&self) -> &[Arc<PhysicalDevice>] {
        let probe = |kernel, node| {
            PhysicalDevice::probe(kernel, node, &self.diagnosis, &self.extensions).ok()
        };
        self.devices.get_or_init(|| match &self.source {
            Some(source) => source()
                .into_iter()
                .filter_map(|kernel| probe(kernel, None))
                .collect(),
            None => i915::render_nodes()
                .into_iter()
                .filter_map(|(kernel, node)| probe(kernel, Some(node)))
                .collect(),
        })
    }

    /// Whether an extension was enabled.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }
}

/// Looks up enabled extensions. Fails for an unknown name.
pub fn enabled(
    table: &'static [extension::Extension],
    names: &[String],
) -> Result<Vec<&'static str>> {
    let known = |name: &String| extension::find(table, name).map(|row| row.name);
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
        let none = || Some(Arc::new(Vec::new) as KernelSource);
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
