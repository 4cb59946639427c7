"""The spaces in which weights live: linear, or that of a kernel."""
