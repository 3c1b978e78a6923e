// Cargo asks for a file.
