//! A window of a Wayland compositor.

use ash::vk;
use wayland_client::globals::{GlobalListContents, registry_queue_init};
use wayland_client::protocol::wl_compositor::WlCompositor;
use wayland_client::protocol::wl_registry::WlRegistry;
use wayland_client::protocol::wl_surface::WlSurface;
use wayland_client::{Connection, Dispatch, EventQueue, Proxy, QueueHandle, delegate_noop};
use wayland_protocols::xdg::shell::client::xdg_surface::{self, XdgSurface};
use wayland_protocols::xdg::shell::client::xdg_toplevel::XdgToplevel;
use wayland_protocols::xdg::shell::client::xdg_wm_base::{self, XdgWmBase};

use crate::Server;

/// Answers what the compositor asks.
struct Answers;

pub struct Window {
    connection: Connection,
    queue: EventQueue<Answers>,
    surface: WlSurface,
    _shell: (XdgWmBase, XdgSurface, XdgToplevel),
}

impl Window {
    pub fn new() -> Self {
        let connection = Connection::connect_to_env().expect("a Wayland compositor");
        let (globals, mut queue) = registry_queue_init::<Answers>(&connection).unwrap();
        let handle = queue.handle();
        let compositor: WlCompositor = globals.bind(&handle, 1..=4, ()).unwrap();
        let shell: XdgWmBase = globals.bind(&handle, 1..=1, ()).unwrap();
        let surface = compositor.create_surface(&handle, ());
        let role = shell.get_xdg_surface(&surface, &handle, ());
        let top = role.get_toplevel(&handle, ());
        surface.commit();
        // It is configured before it gets images.
        queue.roundtrip(&mut Answers).unwrap();
        Self {
            connection,
            queue,
            surface,
            _shell: (shell, role, top),
        }
    }
}

impl Server for Window {
    fn surface(&self, entry: &ash::Entry, instance: &ash::Instance) -> vk::SurfaceKHR {
        let surfaces = ash::khr::wayland_surface::Instance::new(entry, instance);
        let info = vk::WaylandSurfaceCreateInfoKHR::default()
            .display(self.connection.backend().display_ptr().cast())
            .surface(self.surface.id().as_ptr().cast());
        unsafe { surfaces.create_wayland_surface(&info, None) }.unwrap()
    }

    fn resize(&mut self, _: u32, _: u32) {
        // Pictures of another size are all that it takes.
        self.queue.roundtrip(&mut Answers).unwrap();
    }

    fn shows(&mut self, _: [u8; 3]) -> Option<bool> {
        self.queue.roundtrip(&mut Answers).unwrap();
        None
    }

    fn knows_size(&self) -> bool {
        false
    }
}

impl Dispatch<XdgWmBase, ()> for Answers {
    fn event(
        _: &mut Self,
        shell: &XdgWmBase,
        event: xdg_wm_base::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let xdg_wm_base::Event::Ping { serial } = event {
            shell.pong(serial);
        }
    }
}

impl Dispatch<XdgSurface, ()> for Answers {
    fn event(
        _: &mut Self,
        surface: &XdgSurface,
        event: xdg_surface::Event,
        (): &(),
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
        if let xdg_surface::Event::Configure { serial } = event {
            surface.ack_configure(serial);
        }
    }
}

impl Dispatch<WlRegistry, GlobalListContents> for Answers {
    fn event(
        _: &mut Self,
        _: &WlRegistry,
        _: wayland_client::protocol::wl_registry::Event,
        _: &GlobalListContents,
        _: &Connection,
        _: &QueueHandle<Self>,
    ) {
    }
}

delegate_noop!(Answers: WlCompositor);
delegate_noop!(Answers: ignore WlSurface);
delegate_noop!(Answers: ignore XdgToplevel);
