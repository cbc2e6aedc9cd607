import { languageSample, loadSampleDetector, NO_LANGUAGE } from "./_language.ts";

/** A language and how sure the detection is. */
export interface DetectedLanguage {
  /** ISO 639-3 code; empty when the text is too short or resembles no language known here. */
  readonly language: string;
  /** How likely it is right, 0 to 1; 0 with an empty language. */
  readonly confidence: number;
}

/** Tells the language of a text. */
export type LanguageDetector = (text: string) => DetectedLanguage;

/**
 * Load the language detector. Its tables are large, so they are loaded when they are asked for.
 *
 * Some sixty languages are told by `eld` (small); `tinyld` breaks the ties with close relatives that
 * it lacks: Afrikaans, Indonesian, Macedonian, Kazakh, Tatar, Mongolian, Turkmen, Khmer, Burmese.
 * Norwegian is one code (`nor`), its two written forms not being told apart; Chinese is `zho` whatever
 * the script, Malay `msa`; Bosnian counts as Croatian. Languages that neither knows come out empty
 * or, when a close relative is known, as that one (Galician, Occitan, Nepali).
 *
 * @example Usage
 * ```ts
 * import { loadLanguageDetector } from "@ccrawl/cli/render";
 * import assert from "node:assert/strict";
 *
 * const detect = await loadLanguageDetector();
 * assert.equal(detect("Das ist ein ganz gewöhnlicher deutscher Satz, nicht mehr.").language, "deu");
 * assert.deepEqual(detect("Zu kurz."), { language: "", confidence: 0 });
 * ```
 */
export async function loadLanguageDetector(): Promise<LanguageDetector> {
  const detect = await loadSampleDetector();
  return (text) => {
    const sample = languageSample(text);
    return sample === "" ? NO_LANGUAGE : detect(sample);
  };
}
