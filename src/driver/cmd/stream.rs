//! A command stream in mapped memory, chunk after chunk.
//!
//! In:  chunks, from an implementation of [`StreamMemory`]. Out: a batch: commands from the front
//!      of each chunk, data that they reference from its back, and a jump to the next chunk where
//!      the two would meet.
//! Ref: SKL PRM vol. 2a, "MI_BATCH_BUFFER_START", "MI_BATCH_BUFFER_END".

use hw::mi::mi_batch_buffer_end;

use crate::mi;

/// Memory of a batch: chunks of equal size, one of them current.
pub trait StreamMemory {
    /// Why no further chunk can be allocated.
    type Error;
    /// Dwords of a chunk.
    const CHUNK_DW: usize;
    /// The current chunk, if there is one: [`StreamMemory::CHUNK_DW`] dwords.
    fn words(&mut self) -> Option<&mut [u32]>;
    /// GPU address of the current chunk: a multiple of 64, or of 4096 if
    /// [`Stream::data_at_chunk_end`] is used.
    fn address(&self) -> u64;
    /// Allocates the next chunk. Returns its GPU address.
    fn prepare(&mut self) -> Result<u64, Self::Error>;
    /// Makes the next chunk the current one. `commands_dw` is the size of the commands in the last
    /// chunk, without the jump behind them.
    fn advance(&mut self, commands_dw: usize);
    /// Prefetches the cache line at the same offset of the next chunk, if the chunk is known and
    /// prefetching helps.
    fn fetch_ahead(&self, _at_dw: usize) {}
    /// The error for a request that exceeds a chunk.
    fn too_long() -> Self::Error;
    /// Reads dwords of the surface state at a byte offset of the bindless heap.
    fn surface<const N: usize>(
        &self,
        offset_bytes: u32,
        dwords: [usize; N],
    ) -> Result<[u32; N], Self::Error>;
}

/// Alignment of data in dwords: 64 bytes.
const ALIGN_DW: isize = 16;
/// Dwords of the jump to the next chunk, with the end after it.
const LINK_DW: usize = 4;

/// A jump to the next chunk. In a first-level batch MI_BATCH_BUFFER_START is a call, and the batch
/// ends when it returns.
fn link(address: u64) -> [u32; LINK_DW] {
    let [a, b, c] = mi::call(address);
    [a, b, c, mi_batch_buffer_end::PACKET.header]
}

/// Data in a batch's memory.
#[derive(Debug)]
pub struct BatchData<'a> {
    /// GPU address, a multiple of 64.
    pub address: u64,
    /// The words; their previous contents are undefined.
    pub words: &'a mut [u32],
}

/// The offset of data from a base address, in bytes.
pub fn offset(address: u64, base: u64) -> u64 {
    address.wrapping_sub(base) & 0xffff_ffff
}

/// A command stream that is being written.
#[derive(Debug)]
pub struct Stream<M> {
    memory: M,
    /// Dwords of commands in the current chunk.
    at_dw: u32,
    /// Start of the data at the back of the chunk, in dwords.
    data_dw: u32,
}

impl<M: StreamMemory> Stream<M> {
    /// Creates a stream in the memory's current chunk.
    pub fn new(memory: M) -> Self {
        Self {
            memory,
            at_dw: 0,
            data_dw: M::CHUNK_DW as u32,
        }
    }

    /// Returns the memory with its contents.
    pub fn into_memory(self) -> M {
        self.memory
    }

    /// The memory.
    pub fn memory(&self) -> &M {
        &self.memory
    }

    /// The memory, to give it a first chunk.
    pub fn memory_mut(&mut self) -> &mut M {
        &mut self.memory
    }

    /// Starts a new batch. Returns the memory, to take its chunks away.
    pub fn restart(&mut self) -> &mut M {
        self.at_dw = 0;
        self.data_dw = M::CHUNK_DW as u32;
        &mut self.memory
    }

    /// Dwords of commands in the current chunk.
    pub fn commands_dw(&self) -> usize {
        self.at_dw as usize
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) -> Result<(), M::Error> {
        let at = self.at_dw as usize;
        let link = link(self.memory.prepare()?);
        let room = self.memory.words().and_then(|words| words.get_mut(at..));
        let room = room.and_then(<[u32]>::first_chunk_mut);
        *room.ok_or_else(M::too_long)? = link;
        self.memory.advance(at);
        self.at_dw = 0;
        self.data_dw = M::CHUNK_DW as u32;
        Ok(())
    }

    /// Reserves `N` dwords for whole commands.
    #[inline(always)]
    pub fn reserve<const N: usize>(&mut self) -> Result<&mut [u32; N], M::Error> {
        if self.at_dw as usize + N + LINK_DW > self.data_dw as usize {
            self.grow()?;
        }
        let at = self.at_dw as usize;
        let end = at + N;
        self.at_dw = end as u32;
        self.fetch_ahead(at, N);
        let words = self.memory.words();
        let room = words.and_then(|words| words.get_mut(at..end));
        match room.and_then(<[u32]>::as_mut_array) {
            Some(room) => Ok(room),
            None => Err(M::too_long()),
        }
    }

    /// Prefetches the next chunk at the offset that is being written.
    #[inline(always)]
    fn fetch_ahead(&self, at_dw: usize, len_dw: usize) {
        for line in (at_dw..at_dw + len_dw).step_by(ALIGN_DW as usize) {
            self.memory.fetch_ahead(line);
        }
    }

    /// Appends whole commands.
    #[inline(always)]
    pub fn emit<const N: usize>(&mut self, words: [u32; N]) -> Result<(), M::Error> {
        *self.reserve::<N>()? = words;
        Ok(())
    }

    /// Appends commands: one packet, or the contents of another batch's chunk.
    pub fn append(&mut self, words: &[u32]) -> Result<(), M::Error> {
        let end = |at: u32| at as usize + words.len();
        if end(self.at_dw) + LINK_DW > self.data_dw as usize {
            self.grow()?;
        }
        let (at, end) = (self.at_dw as usize, end(self.at_dw));
        if end + LINK_DW > self.data_dw as usize {
            return Err(M::too_long());
        }
        self.at_dw = end as u32;
        let room = self.memory.words().and_then(|words| words.get_mut(at..end));
        room.ok_or_else(M::too_long)?.copy_from_slice(words);
        Ok(())
    }

    /// Start of `len_dw` dwords of data below the present data; negative if they do not fit.
    #[inline(always)]
    fn data_start(&self, len_dw: usize) -> isize {
        (self.data_dw as usize).wrapping_sub(len_dw).cast_signed() & !(ALIGN_DW - 1)
    }

    /// Allocates data that commands reference.
    #[inline]
    pub fn data(&mut self, len_dw: usize) -> Result<BatchData<'_>, M::Error> {
        self.reserve_with::<0>(len_dw).map(|(_, data)| data)
    }

    /// Reserves `N` dwords for whole commands, and allocates data that they reference in the same
    /// chunk.
    #[inline(always)]
    pub fn reserve_with<const N: usize>(
        &mut self,
        len_dw: usize,
    ) -> Result<(&mut [u32; N], BatchData<'_>), M::Error> {
        let mut start = self.data_start(len_dw);
        if start < (self.at_dw as usize + N + LINK_DW).cast_signed() {
            self.grow()?;
            start = self.data_start(len_dw);
            if start < (N + LINK_DW).cast_signed() {
                return Err(M::too_long());
            }
        }
        match self.split_chunk(start.cast_unsigned(), len_dw) {
            Some(room) => Ok(room),
            None => Err(M::too_long()),
        }
    }

    /// Takes the next dwords of the current chunk for commands, and `len_dw` dwords at `start` for
    /// data.
    #[inline(always)]
    fn split_chunk<const N: usize>(
        &mut self,
        start: usize,
        len_dw: usize,
    ) -> Option<(&mut [u32; N], BatchData<'_>)> {
        let at = self.at_dw as usize;
        self.fetch_ahead(at, N);
        self.fetch_ahead(start, len_dw);
        let address = self.memory.address() + start as u64 * 4;
        let (front, back) = self.memory.words()?.split_at_mut_checked(start)?;
        let commands = front.get_mut(at..at + N)?.as_mut_array()?;
        let words = back.get_mut(..len_dw)?;
        self.data_dw = start as u32;
        self.at_dw = (at + N) as u32;
        Some((commands, BatchData { address, words }))
    }

    /// Allocates data at the end of a chunk: always at the same offset.
    pub fn data_at_chunk_end(&mut self, len_dw: usize) -> Result<BatchData<'_>, M::Error> {
        if self.data_dw as usize != M::CHUNK_DW {
            self.grow()?;
        }
        self.data(len_dw)
    }

    /// Ends the batch.
    pub fn end(&mut self) -> Result<(), M::Error> {
        self.emit([mi_batch_buffer_end::PACKET.header])
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use super::StreamMemory;
    use std::collections::BTreeMap;

    /// Chunks in host memory, at made-up addresses.
    #[derive(Debug)]
    pub struct HostChunks {
        pub chunks: Vec<Vec<u32>>,
        pub used: Vec<usize>,
        /// By byte offset in the heap.
        pub surfaces: BTreeMap<u32, [u32; 16]>,
    }

    pub const CHUNK_DW: usize = 256;

    impl Default for HostChunks {
        fn default() -> Self {
            Self {
                chunks: vec![vec![0xdead_beef; CHUNK_DW]],
                used: Vec::new(),
                surfaces: BTreeMap::new(),
            }
        }
    }

    impl HostChunks {
        pub fn address_of(index: usize) -> u64 {
            0x1_0000_0000 + 0x1_0000 * index as u64
        }

        /// Reads the word at an address.
        pub fn word(&self, address: u64) -> u32 {
            let at = address - Self::address_of(0);
            self.chunks[(at >> 16) as usize][(at as usize & 0xffff) / 4]
        }
    }

    impl StreamMemory for HostChunks {
        type Error = &'static str;
        const CHUNK_DW: usize = CHUNK_DW;

        fn words(&mut self) -> Option<&mut [u32]> {
            let current = self.used.len();
            Some(&mut self.chunks[current])
        }
        fn address(&self) -> u64 {
            Self::address_of(self.used.len())
        }
        fn prepare(&mut self) -> Result<u64, &'static str> {
            if self.chunks.len() == 40 {
                return Err("no more");
            }
            self.chunks.push(vec![0xdead_beef; CHUNK_DW]);
            Ok(Self::address_of(self.used.len() + 1))
        }
        fn advance(&mut self, commands_dw: usize) {
            self.used.push(commands_dw);
        }
        fn too_long() -> &'static str {
            "too long"
        }
        fn surface<const N: usize>(
            &self,
            offset_bytes: u32,
            dwords: [usize; N],
        ) -> Result<[u32; N], &'static str> {
            let surface = self.surfaces.get(&offset_bytes).ok_or("no surface")?;
            Ok(dwords.map(|dword| surface[dword]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{CHUNK_DW, HostChunks};
    use super::*;
    use hw::mi::mi_batch_buffer_start;

    #[test]
    fn chunks_are_linked_where_commands_and_data_would_meet() {
        let mut stream = Stream::new(HostChunks::default());
        for round in 0..100 {
            let data = stream.data(20).unwrap();
            assert_eq!((data.address % 64, data.words.len()), (0, 20));
            data.words.fill(0xda7a_0000 + round);
            stream.emit([round; 5]).unwrap();
        }
        stream.end().unwrap();
        let end = stream.commands_dw();
        let memory = stream.memory();
        assert!(memory.used.len() > 5);
        let mut seen = 0;
        for (index, chunk) in memory.chunks.iter().enumerate() {
            let used = memory.used.get(index).copied().unwrap_or(end - 1);
            for group in chunk[..used].chunks_exact(5) {
                assert_eq!(group, [seen; 5]);
                seen += 1;
            }
            if index < memory.used.len() {
                let to = mi_batch_buffer_start::BATCH_BUFFER_START_ADDRESS.get(&chunk[used..]);
                assert_eq!(to, HostChunks::address_of(index + 1));
            }
            let last = if index < memory.used.len() {
                used + 3
            } else {
                used
            };
            assert_eq!(chunk[last], mi_batch_buffer_end::PACKET.header);
            assert!(
                chunk[last + 1..]
                    .iter()
                    .all(|word| *word >> 16 == 0xda7a || *word == 0xdead_beef)
            );
        }
        assert_eq!(seen, 100);
    }

    #[test]
    fn requests_beyond_a_chunk_are_refused() {
        let mut stream = Stream::new(HostChunks::default());
        assert_eq!(stream.data(CHUNK_DW).err(), Some("too long"));
        assert!(stream.data(CHUNK_DW - LINK_DW - 16).is_ok());
        assert_eq!(stream.append(&[0; CHUNK_DW]), Err("too long"));
        assert!(stream.append(&[0; CHUNK_DW - LINK_DW]).is_ok());
        assert!(stream.append(&[0; 10]).is_ok());
        while stream.emit([0; 100]).is_ok() {}
        assert_eq!(stream.emit([0; 100]), Err("no more"));
    }
}
