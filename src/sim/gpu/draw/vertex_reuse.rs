//! Vertex reuse: shades each distinct vertex of an instance once.
//!
//! In:  vertex indices in the order of their use. Out: each distinct index once, and its position
//!      among them.

/// The positions of an instance's distinct indices, in the order of their first use.
#[derive(Default)]
pub(crate) struct VertexReuse {
    /// The smallest index. `dense` is addressed by the distance from it and holds the position plus
    /// one, or 0 for an unused index; it is used if the indices lie close to each other.
    first_id: u32,
    dense: Vec<u32>,
    /// Indices and their positions, sorted by index; used if the indices lie far apart.
    sorted: Vec<(u32, u32)>,
}

impl VertexReuse {
    /// Removes repeated indices from `ids`, keeping the first use of each.
    pub fn deduplicate(ids: &mut Vec<u32>) -> VertexReuse {
        let first_id = ids.iter().copied().min().unwrap_or(0);
        let last_id = ids.iter().copied().max().unwrap_or(0);
        let range = (last_id - first_id) as usize;
        if range / 4 <= ids.len() {
            let mut dense = vec![0u32; range + 1];
            let mut count = 0;
            ids.retain(|id| {
                let place = dense.get_mut((id - first_id) as usize);
                let Some(place) = place.filter(|place| **place == 0) else {
                    return false;
                };
                count += 1;
                *place = count;
                true
            });
            return VertexReuse {
                first_id,
                dense,
                sorted: Vec::new(),
            };
        }
        // Finds the first use of each index, and puts those back into the order of use.
        let mut uses: Vec<(u32, u32)> = ids.iter().copied().zip(0..).collect();
        uses.sort_unstable();
        uses.dedup_by_key(|(id, _)| *id);
        let mut firsts: Vec<(u32, u32)> = uses.into_iter().map(|(id, at)| (at, id)).collect();
        firsts.sort_unstable();
        ids.clear();
        ids.extend(firsts.iter().map(|(_, id)| *id));
        let mut sorted: Vec<(u32, u32)> = ids.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        VertexReuse {
            sorted,
            ..VertexReuse::default()
        }
    }

    /// The position of an index among the distinct ones.
    pub fn index_of(&self, id: u32) -> Option<usize> {
        if self.sorted.is_empty() {
            let place = self.dense.get(id.checked_sub(self.first_id)? as usize)?;
            return place.checked_sub(1).map(|place| place as usize);
        }
        let found = self.sorted.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.sorted.get(found).map(|(_, place)| *place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_in_order_of_first_use() {
        for scale in [1, 1000, u32::MAX / 7] {
            let used = [5, 3, 5, 7, 0, 3].map(|id| id * scale);
            let mut ids = used.to_vec();
            let reuse = VertexReuse::deduplicate(&mut ids);
            assert_eq!(ids, [5, 3, 7, 0].map(|id| id * scale));
            let found = used.map(|id| reuse.index_of(id));
            assert_eq!(found, [0, 1, 0, 2, 3, 1].map(Some), "{scale}");
            assert_eq!([1, 6].map(|id| reuse.index_of(id * scale)), [None; 2]);
        }
        assert_eq!(VertexReuse::deduplicate(&mut Vec::new()).index_of(0), None);
    }
}
