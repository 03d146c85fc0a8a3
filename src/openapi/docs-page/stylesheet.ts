/** The page's only style sheet; its hash is what the Content-Security-Policy allows. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --page: #fbfbf9; --card: #fff; --line: #e3e3dc; --text: #1b1d1c; --soft: #5a605d;
  --accent: #0b6352; --code: #f1f1ec;
  --value: #5a605d; --described: #7a4b00; --described-bg: #fdf0d8; --withheld: #8d1f3f; --withheld-bg: #fbe7ec;
  --string: #0b6352; --key: #1b1d1c; --null: #8d1f3f;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #131615; --card: #1a1e1c; --line: #2e3532; --text: #e8ebe9; --soft: #a3aca8;
    --accent: #6fd3bb; --code: #222826;
    --value: #a3aca8; --described: #f3c677; --described-bg: #3a2c10; --withheld: #ff9fb6; --withheld-bg: #42202a;
    --string: #6fd3bb; --key: #e8ebe9; --null: #ff9fb6;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); text-underline-offset: .15em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
main:focus { outline: none; }
code, pre { font-family: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, monospace; font-size: .875em; }
:not(pre) > code { overflow-wrap: anywhere; }
p > code, li > code, dd > code, td[data-column="Meaning"] code, td[data-column="When"] code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
.skip { position: absolute; left: -100rem; background: var(--card); padding: .5rem 1rem; z-index: 1; }
.skip:focus { left: 1rem; top: 1rem; }
.top { padding: 2.5rem clamp(1rem, 4vw, 3rem) 1.75rem; border-bottom: 1px solid var(--line); background: var(--card); }
.top p { margin: .35rem 0 0; color: var(--soft); }
h1 { margin: 0; font-size: 2rem; line-height: 1.2; letter-spacing: -.02em; }
h2 { margin: 4rem 0 1rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: 1.5rem; line-height: 1.25; letter-spacing: -.01em; }
h3 { margin: 3rem 0 .5rem; font-size: 1.2rem; }
h4 { margin: 2rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0 1rem; max-width: 70ch; }
.columns { display: grid; grid-template-columns: 14rem minmax(0, 64rem); gap: clamp(2rem, 4vw, 4rem); padding: 0 clamp(1rem, 4vw, 3rem) 6rem; }
nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 2.25rem .25rem; font-size: .9rem; align-self: start; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: .2rem 0; }
nav ul ul { padding-left: .9rem; margin-bottom: .6rem; }
nav ul ul a { color: var(--soft); }
nav a { text-decoration: none; }
nav a:hover { text-decoration: underline; }
.lead { font-size: 1.2rem; line-height: 1.5; margin-top: 2.25rem; max-width: 60ch; }
.glance { list-style: none; padding: 0; margin: 1.5rem 0; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.glance li { display: flex; flex-wrap: wrap; gap: .25rem .9rem; align-items: baseline; padding: .7rem 1rem; }
.glance li + li { border-top: 1px solid var(--line); }
.glance li > span:last-child { color: var(--soft); }
.method { font: 700 .75rem/1 ui-monospace, Menlo, Consolas, monospace; letter-spacing: .05em; color: var(--accent); border: 1px solid currentColor; border-radius: 4px; padding: .2rem .4rem; }
.operation { font-size: 1.05rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem 2rem; margin: 1.25rem 0; padding: 1rem 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
.facts dt, .principals dt { font-size: .8rem; font-weight: 600; color: var(--soft); }
.facts dd, .principals dd, .legend dd { margin: 0; }
.principals { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; margin: 1rem 0; }
.principals div { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 1rem 1.25rem; }
.principals dt { color: var(--accent); font-size: 1rem; }
.legend { display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; margin: 1rem 0; }
.legend div { display: flex; gap: .5rem; align-items: baseline; }
table { width: 100%; border-collapse: collapse; font-size: .925rem; line-height: 1.5; margin: .75rem 0 1.5rem; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
th, td { text-align: left; vertical-align: top; padding: .55rem .9rem .55rem 0; border-bottom: 1px solid var(--line); font-weight: 400; }
thead th { font-size: .8rem; font-weight: 600; color: var(--soft); white-space: nowrap; border-bottom-width: 2px; }
tbody th { font-weight: 600; }
td em { color: var(--soft); }
td[data-column="Type"] { color: var(--soft); }
td[data-column="Status"] { font-variant-numeric: tabular-nums; }
.fields { table-layout: fixed; }
.fields th:nth-child(1) { width: 22%; }
.fields th:nth-child(2) { width: 15%; }
.fields th:nth-child(3), .fields th:nth-child(4), .fields th:nth-child(5) { width: 9.5%; }
.errors th:first-child { white-space: nowrap; }
.anchor { color: inherit; text-decoration: none; }
.anchor:hover { text-decoration: underline; }
.anchor:target { background: var(--described-bg); }
.form { font-size: .85em; border-radius: 4px; padding: .12em .4em; white-space: nowrap; }
.form.value { color: var(--value); padding-left: 0; }
.form.described { color: var(--described); background: var(--described-bg); }
.form.null, .form.false, .form.absent { color: var(--withheld); background: var(--withheld-bg); font-weight: 600; }
pre { margin: .75rem 0 1rem; padding: 1rem 1.25rem; max-height: 30rem; overflow: auto; background: var(--code); border-radius: 8px; line-height: 1.55; tab-size: 2; }
pre code { font-size: 1em; }
pre i { font-style: normal; }
pre b { font-weight: 400; color: var(--key); }
pre .s { color: var(--string); }
pre .n { color: var(--null); font-weight: 600; }
details { border: 1px solid var(--line); border-radius: 8px; background: var(--card); margin: .5rem 0; }
summary { cursor: pointer; padding: .6rem 1rem; font-weight: 600; }
details pre { margin: 0; border-radius: 0 0 8px 8px; }
.rules { padding-left: 1.4rem; max-width: 70ch; }
.rules li { margin: .5rem 0; padding-left: .25rem; }
@media (max-width: 60rem) {
  .columns { display: block; }
  nav { position: static; max-height: none; padding: 1.5rem 0 0; }
  nav > ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
  nav ul ul { display: none; }
}
@media (max-width: 44rem) {
  h2 { margin-top: 3rem; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  table, tbody, tr, td, tbody th { display: block; width: auto; }
  .fields tbody th { width: auto; }
  tr { border: 1px solid var(--line); border-radius: 8px; background: var(--card); padding: .75rem 1rem; margin: .6rem 0; }
  th, td { border: 0; padding: .15rem 0; }
  td::before { content: attr(data-column); display: inline-block; min-width: 6.5rem; color: var(--soft); font-size: .8rem; font-weight: 600; }
  td[data-column="Meaning"]::before, td[data-column="When"]::before { display: none; }
  td[data-column="Meaning"], td[data-column="When"] { padding-top: .4rem; }
  .form.value { padding-left: 0; }
  .errors th:first-child { white-space: normal; }
}
@media print {
  nav, .skip { display: none; }
  .columns { display: block; }
  pre { max-height: none; white-space: pre-wrap; }
}
`;
