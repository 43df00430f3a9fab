import { GLYPH_STYLE } from './glyph';

/** The page's style: fonts of the system, light and dark, 400 px and wider, A4. */
export const STYLE = `
:root{color-scheme:light dark;--paper:#fff;--card:#fff;--text:#1d2530;--soft:#56606e;--line:#dde2e8;--tint:#f5f7f9;--accent:#2f4a8a;--bar:#5b6b80}
@media screen and (prefers-color-scheme:dark){:root{--paper:#12161b;--card:#1b2027;--text:#e4e8ed;--soft:#a9b3bf;--line:#323a44;--tint:#1b2027;--accent:#9db8ff;--bar:#8b9bb0}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--text);font:1rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:anywhere}
main,body>header,body>footer{max-width:60rem;margin:0 auto;padding:0 2rem}
body>header{padding-top:3.5rem}
h1,h2,h3,h4,p,dl,dd,ul,figure,table{margin:0}
h1,h2,h3,h4{line-height:1.25;text-wrap:balance}
h1{font-size:2.5rem;letter-spacing:-.02em;margin:.2rem 0 .4rem}
h2{font-size:1.5rem;letter-spacing:-.01em;margin-bottom:1.1rem}
h3{font-size:1.1rem;display:flex;align-items:center;gap:.6rem;margin:2.2rem 0 .9rem}
h4{font-size:1.05rem}
section{padding-top:3rem}
a{color:inherit;text-decoration-color:var(--line);text-underline-offset:.2em}
a:hover{text-decoration-color:currentColor}
.eyebrow{color:var(--accent);font-weight:600;letter-spacing:.08em;text-transform:uppercase;font-size:.8rem}
.about{color:var(--soft);font-size:1.1rem}
.meta{display:flex;flex-wrap:wrap;gap:.4rem 2.5rem;margin-top:1.6rem;padding-top:1.1rem;border-top:1px solid var(--line);font-size:.875rem}
dt,.label{color:var(--soft);font-size:.8rem}
.counts{display:grid;grid-template-columns:minmax(0,4fr) minmax(0,1fr) minmax(0,1fr);gap:.75rem;margin-top:1.5rem}
.counts div{background:var(--tint);border:1px solid var(--line);border-radius:8px;padding:.7rem 1.1rem}
.counts dd{font-size:1.6rem;font-weight:650;line-height:1.25}
.counts dd+dd{font-size:.925rem;font-weight:400;line-height:1.5}
nav{display:flex;flex-wrap:wrap;gap:.3rem 1.4rem;margin-top:1.5rem;font-size:.9rem}
.notices{margin-top:1.5rem;padding:.8rem 1.1rem;border-left:4px solid #c77700;background:var(--tint);font-size:.925rem}
.notices ul{padding-left:1.1rem}
.text p{white-space:pre-wrap;max-width:46rem}
.text p+p{margin-top:.8em}
#summary .text{font-size:1.1rem}
.missing{color:var(--soft);font-style:italic}
.matrix{display:block;width:100%;max-width:45rem;height:auto;border:1px solid var(--line);border-radius:8px}
figcaption,.small{color:var(--soft);font-size:.875rem;margin-top:.7rem}
.small ul,.tree ul{padding-left:1.2rem}
table{width:100%;border-collapse:collapse;table-layout:fixed;margin-top:2rem;font-size:.925rem}
caption{text-align:left;font-weight:650;font-size:1.1rem;padding-bottom:.5rem}
th,td{text-align:left;vertical-align:top;padding:.5rem .6rem .5rem 0;border-bottom:1px solid var(--line);font-weight:400}
thead th{color:var(--soft);font-size:.8rem;vertical-align:bottom}
tbody th[colspan]{font-weight:650;padding-top:1.2rem}
.c-key{width:2.9rem}.c-score{width:6.2rem}.c-text{width:9.5rem}
.glyph{display:block;width:1.75rem;height:1.75rem;flex:none}
.score{display:inline-flex;align-items:center;gap:.5rem;font-variant-numeric:tabular-nums}
.score b{min-width:1.3em;text-align:right;font-weight:600}
.bar{width:3.1rem;height:.4rem;border-radius:1rem;overflow:hidden;background:var(--line)}
.bar::before{content:"";display:block;height:100%;width:calc(var(--score)*10%);background:var(--bar)}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:1.1rem 1.3rem 1.2rem;margin-top:.9rem}
.card>header{display:grid;grid-template-columns:auto minmax(0,1fr) auto;gap:.3rem .8rem;align-items:start}
.card h4{padding-top:.15rem}
.scores{display:flex;gap:1.2rem;padding-top:.15rem;font-size:.875rem}
.card .text{margin-top:.7rem}
.facts{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:.8rem 1.8rem;margin-top:1rem;padding-top:.9rem;border-top:1px solid var(--line);font-size:.925rem}
.facts .text{margin:0}
.card>.missing{margin-top:.8rem;font-size:.875rem}
.tree{font-size:.9rem}
.tree summary{cursor:pointer;font-weight:650;font-size:1.1rem;color:var(--text);font-style:normal}
.tree summary+*{margin-top:.6rem}
.tree li{margin:.15rem 0}
body>footer{color:var(--soft);font-size:.8rem;margin-top:3.5rem;padding-top:1rem;padding-bottom:3rem}
@media (max-width:44rem){
main,body>header,body>footer{padding-left:1rem;padding-right:1rem}
body>header{padding-top:1.8rem}
h1{font-size:1.9rem}
section{padding-top:2.2rem}
.counts{grid-template-columns:repeat(2,minmax(0,1fr))}
.counts div:first-child{grid-column:1/-1}
.facts{grid-template-columns:repeat(2,minmax(0,1fr));gap:.8rem 1.2rem}
.c-text{display:none}
.c-score{width:3.7rem}
td .bar{display:none}
.card{padding:1rem}
.card>header{grid-template-columns:auto minmax(0,1fr)}
.scores{grid-column:1/-1}
}
@page{size:A4;margin:18mm 17mm 20mm;@bottom-right{content:counter(page) " / " counter(pages);font:8pt system-ui,sans-serif;color:#56606e}}
@media print{
html{font-size:9.5pt}
body{line-height:1.5;print-color-adjust:exact;-webkit-print-color-adjust:exact}
main,body>header,body>footer{max-width:none;padding-left:0;padding-right:0}
body>header{padding-top:0}
nav,details:not([open]){display:none}
section{padding-top:1.8rem}
h2,h3,h4,caption,thead,.card>header{break-after:avoid}
tr,figure,.facts>div,.counts{break-inside:avoid}
.card,.memo{break-inside:avoid-page}
p{orphans:3;widows:3}
.matrix{max-width:110mm}
a{text-decoration:none}
}
${GLYPH_STYLE}`;
