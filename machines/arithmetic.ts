/** The pure part of Math: the linter keeps Math itself, and with it randomness, out of the machines. */
export const { ceil, max, min, round } = Math;
