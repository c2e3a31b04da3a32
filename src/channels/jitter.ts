/**
 * Up to a fifth longer, so that many that were refused together do not come
 * back together. Never shorter: a platform's own wish is obeyed.
 */
export function withJitter(ms: number, random: () => number = Math.random): number {
  return Math.round(ms * (1 + 0.2 * random()));
}
