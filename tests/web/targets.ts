/**
 * Where redirects point that must not be followed.
 *
 * @module
 */

/** Private and otherwise refused targets: `/redirect-private/<n>` and pages of `moved-private` hosts point at them. */
export const PRIVATE_TARGETS: readonly string[] = [
  "http://10.0.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[::1]/",
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.0.0.1/",
  "http://192.168.1.1/",
  "http://172.16.0.1/",
  "http://100.64.0.1/",
  "http://0.0.0.0/",
  "http://[::ffff:127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://[fd00::1]/",
  "http://[fe80::1]/",
  "http://224.0.0.1/",
  "http://198.18.0.1/",
  "http://h1.private.test/",
  "http://localhost/",
];
