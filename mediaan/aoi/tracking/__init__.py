"""Follow areas over time: detection schedule, association, propagation, re-identification."""
