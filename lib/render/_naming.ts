/**
 * What the class and id of an element say about it. Names are split into words (`relatedPosts`,
 * `related-posts` and `related_posts` are the same two) and looked up; regular expressions over
 * names that a page chooses would find `ad` in `shadow` and could be made to backtrack.
 *
 * @module
 */

import type { Element } from "./_element.ts";

/** What a name may say; bits of {@linkcode naming}. */
export const Says = {
  /** The part that a page was made for: `article-body`, `entry-content`. */
  Content: 1,
  /** Something that content is often found in: `article`, `main`, `post`, `text`. */
  Hopeful: 2,
  /** Seldom content: `header`, `meta`, `widget`. */
  Doubtful: 4,
  /** Hardly ever content: `sidebar`, `share`, `cookie`. */
  Boilerplate: 8,
  /** What readers wrote below. */
  Comments: 16,
  /** Other pages: `related`, `teaser`, `recommended`; and what lies over the page. */
  Elsewhere: 32,
  /** Meant for screen readers only, or for print only. */
  Unseen: 64,
} as const;

const WORDS = new Map<string, number>();
const PREFIXES: [prefix: string, says: number][] = [];

function define(says: number, words: string): void {
  for (const word of words.split(" ")) {
    if (word.endsWith("*")) PREFIXES.push([word.slice(0, -1), says]);
    else WORDS.set(word, (WORDS.get(word) ?? 0) | says);
  }
}

const { Content, Hopeful, Doubtful, Boilerplate, Comments, Elsewhere, Unseen } = Says;

define(
  Hopeful,
  "article articles body content contents entry hentry main page post posts text blog story column prose chapter " +
    "document description summary recipe product review reviews thread message topic question answer",
);
define(
  Content,
  "articlebody postbody storybody bodytext bodycopy maintext maincontent articletext articlecontent postcontent " +
    "entrycontent richtext hentry instapaper markdown readme",
);
for (
  const what of [
    "article",
    "post",
    "entry",
    "story",
    "blog",
    "news",
    "main",
    "single",
    "page",
    "body",
  ]
) {
  for (const part of ["body", "content", "contents", "text", "detail", "copy", "inner"]) {
    if (what !== part && !(what === "page" && part === "inner")) define(Content, `${what}-${part}`);
  }
}
define(Content, "rich-text body-copy field-body node-content markdown-body");

define(
  Doubtful,
  "banner combx community cover extra footnote-nav header legends menu menus remark rss shoutbox skyscraper " +
    "supplemental agegate widget widgets masthead media scroll tag tool tools metadata meta infobar byline-bar " +
    "dateline-bar contact com shopping log controls control button buttons print icons icon",
);
define(
  Boilerplate,
  "breadcrumb breadcrumbs sharedaddy share sharing shares sharebar social socials sidebar ad ads adv advert* " +
    "adsense advertorial sponsor* promo promos promotion promotions outbrain taboola pagination pager paginator tags " +
    "taglist tag-list tag-links tag-cloud author-bio author-box author-info post-nav nav-links nav navi navbar " +
    "navigation topnav leftnav subnav entry-utility entry-meta post-meta postmetadata meta-info article-meta toolbar rss " +
    "subscribe subscription signup sign-up login log-in footer copyright colophon werbung anzeige anzeigen paywall " +
    "read-more more-link back-top most-read most-popular mostpopular mostread hatnote navbox editsection mw-jump " +
    "catlinks toc-toggle utility skip-link skip-links skiplink",
);
define(
  Boilerplate | Comments,
  "comment comments commentlist comment-list disqus respond kommentar kommentare livefyre",
);
define(
  Boilerplate | Elsewhere,
  "related relatedposts related-posts related-articles jp-relatedposts recommend* newsletter newsletters cookie " +
    "cookies gdpr consent cookiebar popup modal overlay teaser teasers outbrain taboola most-read more-stories also-read",
);
define(
  Unseen,
  "sr-only visually-hidden visuallyhidden screen-reader screenreader noprint no-print print-only printonly",
);
define(
  Boilerplate,
  "sr-only visually-hidden visuallyhidden screen-reader screenreader noprint no-print print-only printonly",
);

/** Names are few and come again on every page of a site; forgotten as a whole when there are many. */
const remembered = new Map<string, number>();
const MOST_REMEMBERED = 4_096;

/** What one class or id attribute says, as bits of {@linkcode Says}. */
export function naming(value: string | undefined): number {
  if (value === undefined || value === "") return 0;
  let says = remembered.get(value);
  if (says === undefined) {
    says = 0;
    for (const name of value.split(/\s+/, 24)) says |= read(name);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(value, says);
  }
  return says;
}

/** What an element's class and id say together. */
export function saysOf(element: Element): number {
  const { class: classes, id } = element.attributes;
  return naming(classes) | naming(id);
}

/** Points for and against, a class and an id weighing the same. */
export function weightOf(element: Element): number {
  return points(naming(element.attributes.class)) + points(naming(element.attributes.id));
}

function points(says: number): number {
  return ((says & (Hopeful | Content)) !== 0 ? 25 : 0) -
    ((says & (Doubtful | Boilerplate)) !== 0 ? 25 : 0);
}

/** One name, split at separators and humps; single words, neighbours and known beginnings count. */
function read(name: string): number {
  let says = 0, before = "", start = 0;
  const word = (end: number) => {
    if (end > start) {
      const w = name.slice(start, end).toLowerCase();
      says |= look(w);
      if (before !== "") says |= WORDS.get(before + "-" + w) ?? 0;
      before = w;
    }
  };
  let lower = false;
  for (let i = 0; i < name.length; i++) {
    const c = name.charCodeAt(i);
    const upper = c >= 65 && c <= 90;
    const letter = upper || c >= 97 && c <= 122;
    if (!letter || upper && lower) {
      word(i);
      start = letter ? i : i + 1;
    }
    lower = letter && !upper;
  }
  word(name.length);
  return says;
}

function look(word: string): number {
  let says = WORDS.get(word) ?? 0;
  for (const [prefix, meaning] of PREFIXES) if (word.startsWith(prefix)) says |= meaning;
  return says;
}
