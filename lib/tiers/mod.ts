/**
 * Tiers: how often a host, and a page of it, is worth coming back to. What the frontier and the schedule
 * both go by.
 *
 * @module
 */

export * from "./budget.ts";
export * from "./revisit.ts";
export * from "./tiers.ts";
