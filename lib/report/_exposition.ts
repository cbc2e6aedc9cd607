/**
 * Prometheus' text exposition format 0.0.4: what a scrape is answered with.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 *
 * @module
 */

/** The content type that goes with it. */
export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** One value of a metric; `labels` tell it from the metric's others. */
export interface Sample {
  /** What tells the value from the metric's others. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The value; any finite number. */
  readonly value: number;
}

/** One metric with its values of this moment. */
export interface Metric {
  /** `[a-z_]`; a counter's ends in `_total`. */
  readonly name: string;
  /** What may be done with it: a counter only grows. */
  readonly type: "counter" | "gauge";
  /** What it is, in a line. */
  readonly help: string;
  /** Its values. */
  readonly samples: readonly Sample[];
}

/** The text of `metrics`. */
export function formatExposition(metrics: readonly Metric[]): string {
  let text = "";
  for (const { name, type, help, samples } of metrics) {
    text += `# HELP ${name} ${escape(help, false)}\n# TYPE ${name} ${type}\n`;
    for (const { labels, value } of samples) {
      const pairs = Object.entries(labels ?? {}).map(([key, v]) => `${key}="${escape(v, true)}"`);
      const set = pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
      text += `${name}${set} ${numeral(value)}\n`;
    }
  }
  return text;
}

function escape(text: string, quotes: boolean): string {
  const escaped = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return quotes ? escaped.replaceAll('"', '\\"') : escaped;
}

function numeral(value: number): string {
  if (value === Infinity) return "+Inf";
  return value === -Infinity ? "-Inf" : String(value);
}
