"""Train eyes, from the photographs to the shipped file.

Each step is a module with `--work WORK`, a folder outside the project; the first five also take `--shared`:
`extract` (half an hour of one core; `--part 0/2` runs beside `--part 1/2`), `cells`, `prepare`, `chinese`,
`captions`, then `prior`, `train` and `dump` (these two need torch), `export`, `evaluate`. `extract` takes
photographs at random and all later steps use those that are there, so training can begin at any time.
"""
