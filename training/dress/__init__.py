"""Train dress: what people wear, from photographs that we labelled ourselves."""
