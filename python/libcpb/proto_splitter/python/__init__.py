"""Splitters of TensorFlow's messages, and helpers for testing them."""
