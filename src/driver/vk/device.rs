//! Logical devices: a context and one queue, with what was enabled on them.

use std::sync::Arc;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::extension;
use crate::feature::Features;
use crate::instance;
use crate::internal::Internal;
use crate::physical::PhysicalDevice;
use crate::queue::Queue;

/// What an application asks for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Extensions by name.
    pub extensions: Vec<String>,
    /// Features.
    pub features: Features,
    /// Queue families and how many queues of each.
    pub queues: Vec<(u32, u32)>,
}

/// `VkDevice`.
#[derive(Debug)]
pub struct Device {
    /// What its objects are made of.
    pub context: Arc<Context>,
    /// The one queue.
    pub queue: Arc<Queue>,
    extensions: Vec<&'static str>,
    features: Features,
    /// Shaders of the driver's own, compiled when first used.
    pub internal: Arc<Internal>,
}

impl Device {
    /// Creates a device.
    pub fn new(physical: &Arc<PhysicalDevice>, request: &Request) -> Result<Arc<Self>> {
        let extensions = instance::enabled(extension::DEVICE, &request.extensions)?;
        request.features.check(&physical.features())?;
        for &(family, count) in &request.queues {
            if family != 0 || count > physical.queue_family().queue_count {
                return Err(Error::InitializationFailed {
                    why: "a queue that does not exist".into(),
                });
            }
        }
        let context = Context::new(physical)?;
        let queue = Queue::new(
            &context.gpu,
            &context.lost,
            physical.diagnosis(),
            &context.batches,
        )?;
        Ok(Arc::new(Self {
            queue,
            extensions,
            features: request.features,
            internal: Arc::default(),
            context,
        }))
    }

    /// Whether an extension was enabled.
    pub fn has(&self, name: &str) -> bool {
        self.extensions.contains(&name)
    }

    /// The features that were enabled.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Waits until everything submitted is done.
    pub fn wait_idle(&self) -> Result<()> {
        self.queue.wait_idle()
    }
}
