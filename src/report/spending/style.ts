import { STYLE } from '../style';

/** What the spending report has beside the audit's: figures to the right, bars, and colours that differ in lightness too. */
export const SPENDING_STYLE = `${STYLE}
:root{--s0:#2f4a8a;--s1:#1f8a70;--s2:#c77700;--s3:#8a3f8f;--s4:#5aa9c9;--others:#9a8f6a;--rest:#b4bdc8;--cap:#b3261e;--hold:#c2410c;--mild:#5b7bb8}
@media screen and (prefers-color-scheme:dark){:root{--s0:#9db8ff;--s1:#4fc3a1;--s2:#f2b35c;--s3:#d59adb;--s4:#5aa9c9;--others:#b8ab80;--rest:#5d6977;--cap:#ff8a80;--hold:#fb923c;--mild:#7f9fe0}}
.s0{fill:var(--s0)}.s1{fill:var(--s1)}.s2{fill:var(--s2)}.s3{fill:var(--s3)}.s4{fill:var(--s4)}.others{fill:var(--others)}.rest{fill:var(--rest)}
.chart{display:block;width:100%;height:auto;overflow:visible}
.chart text{font-family:inherit;font-variant-numeric:tabular-nums}
.grid{stroke:var(--line);fill:none}.axis{fill:var(--soft);font-size:12px}
.cap{stroke:var(--cap);stroke-width:1.6;stroke-dasharray:6 4;fill:none}.cap-text{fill:var(--cap);font-size:12px;font-weight:600}
.hold{fill:var(--hold)}.unknown{fill:var(--line);opacity:.55}
figcaption{display:flex;flex-wrap:wrap;gap:.3rem 1.3rem}
.key{display:inline-flex;align-items:center;gap:.45rem}.key svg{width:.8rem;height:.8rem;flex:none}
.tiles{display:grid;grid-template-columns:repeat(4,minmax(0,1fr));gap:.75rem;margin-top:1.5rem}
.tiles div{background:var(--tint);border:1px solid var(--line);border-radius:8px;padding:.7rem 1rem;display:flex;flex-direction:column}
.tiles dd{font-size:1.6rem;font-weight:650;line-height:1.25;font-variant-numeric:tabular-nums}
.tiles dd+dd{font-size:.825rem;font-weight:400;color:var(--soft);margin-top:.15rem}
.figures{table-layout:auto;margin-top:.4rem}figure+.scroll{margin-top:1.4rem}
.scroll{overflow-x:auto}
.figures.tight th,.figures.tight td{padding-top:.3rem;padding-bottom:.3rem}
.figures.tight td{font-size:.875rem}
.figures thead th{overflow-wrap:normal}.figures thead .name{overflow-wrap:anywhere}
.figures.first-wide th:first-child{width:42%}.figures.first-wide th:nth-child(2){min-width:7rem}
.day{white-space:nowrap}
.figures td.n,.figures th.n{text-align:right;font-variant-numeric:tabular-nums}
.figures td.n{white-space:nowrap}
.figures td+td,.figures th+th{padding-left:.6rem}
.figures th:last-child,.figures td:last-child{padding-right:0}
.figures tfoot td,.figures tfoot th{font-weight:650;border-bottom:0}
.share{display:block;height:.7rem;margin-top:.3rem;min-width:2px;border-radius:2px;background:var(--mild);width:calc(var(--share)*1%)}
.c-share{width:36%}
.id{font-size:.85em;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.account{font-size:1.9rem;margin-top:3rem;padding-top:2rem;border-top:3px solid var(--line);margin-bottom:0}
.lead{color:var(--soft);max-width:46rem;margin-bottom:1rem}
.ok{color:var(--soft)}
@media (max-width:44rem){.tiles{grid-template-columns:repeat(2,minmax(0,1fr))}.figures .c-share,.figures td:has(.share){display:none}.figures td:first-child{min-width:6.5rem}}
@media print{.scroll{overflow:visible}.figures.tight td,.figures.tight th{padding-top:.15rem;padding-bottom:.15rem}.account{break-before:page;border-top:0;padding-top:0;margin-top:0}.account.first{break-before:auto}.tiles div,figure,.figures tr{break-inside:avoid}section>h2,.lead{break-after:avoid}}
`;
