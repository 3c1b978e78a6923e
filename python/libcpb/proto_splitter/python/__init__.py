"""Splitters of TensorFlow's messages, and what helps to test them."""
