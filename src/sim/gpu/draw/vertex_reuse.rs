//! Which of an instance's vertices are the same.
//!
//! In:  ids in the order of their use. Out: each once, and its place among them.

/// Places of the ids of an instance's vertices, in the order of their first use.
#[derive(Default)]
pub(crate) struct Places {
    /// By how far an id is from the least, where ids are near each other: a place more one, 0 for none.
    least: u32,
    near: Vec<u32>,
    /// Ids and places, sorted, where they are not.
    far: Vec<(u32, u32)>,
}

impl Places {
    /// Replaces `ids` by what differs of them.
    pub fn of(ids: &mut Vec<u32>) -> Places {
        let least = ids.iter().copied().min().unwrap_or(0);
        let most = ids.iter().copied().max().unwrap_or(0);
        let range = (most - least) as usize;
        if range / 4 <= ids.len() {
            let mut near = vec![0u32; range + 1];
            let mut count = 0;
            ids.retain(|id| {
                let place = near.get_mut((id - least) as usize);
                let Some(place) = place.filter(|place| **place == 0) else {
                    return false;
                };
                count += 1;
                *place = count;
                true
            });
            return Places {
                least,
                near,
                far: Vec::new(),
            };
        }
        // Each id's first use, then those in their order.
        let mut uses: Vec<(u32, u32)> = ids.iter().copied().zip(0..).collect();
        uses.sort_unstable();
        uses.dedup_by_key(|(id, _)| *id);
        let mut firsts: Vec<(u32, u32)> = uses.into_iter().map(|(id, at)| (at, id)).collect();
        firsts.sort_unstable();
        ids.clear();
        ids.extend(firsts.iter().map(|(_, id)| *id));
        let mut far: Vec<(u32, u32)> = ids.iter().copied().zip(0..).collect();
        far.sort_unstable();
        Places {
            far,
            ..Places::default()
        }
    }

    /// The place of an id.
    pub fn get(&self, id: u32) -> Option<usize> {
        if self.far.is_empty() {
            let place = self.near.get(id.checked_sub(self.least)? as usize)?;
            return place.checked_sub(1).map(|place| place as usize);
        }
        let found = self.far.binary_search_by_key(&id, |(id, _)| *id).ok()?;
        self.far.get(found).map(|(_, place)| *place as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_kept_once_in_the_order_of_their_first_use() {
        for scale in [1, 1000, u32::MAX / 7] {
            let used = [5, 3, 5, 7, 0, 3].map(|id| id * scale);
            let mut ids = used.to_vec();
            let places = Places::of(&mut ids);
            assert_eq!(ids, [5, 3, 7, 0].map(|id| id * scale));
            let found = used.map(|id| places.get(id));
            assert_eq!(found, [0, 1, 0, 2, 3, 1].map(Some), "{scale}");
            assert_eq!([1, 6].map(|id| places.get(id * scale)), [None; 2]);
        }
        assert_eq!(Places::of(&mut Vec::new()).get(0), None);
    }
}
