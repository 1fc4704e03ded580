"""What bench/run is made of: one section a module, and what they share."""
