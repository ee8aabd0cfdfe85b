/* SPDX-License-Identifier: Apache-2.0 */
/* report_style.c - the head of the report's page: what browsers may load (nothing), and how it looks. */
#include "model/report_parts.h"

/* Tells browsers, too, that nothing may be loaded or run from this page. */
static const char head[] = "<!doctype html>\n"
                           "<html lang=en><head><meta charset=utf-8>\n"
                           "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src "
                           "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
                           "<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
                           "<meta name=color-scheme content=\"light dark\">\n"
                           "<title>";

static const char colours[] =
    ":root{--page:#f7f7f5;--card:#fff;--ink:#16181d;--soft:#5b606b;--faint:#8a8f99;--line:#e4e5e3;"
    "--grid:#ececea;--blue:#2a78d6;--red:#d9534f;--amber:#8a5a00;--amber-bg:#fff5df;"
    "--blue-bg:#e9f1fb;--on:#fff;--deep:#2a78d6;--warm:#d9534f}\n"
    "@media(prefers-color-scheme:dark){:root{--page:#131417;--card:#1b1d21;--ink:#eceef1;"
    "--soft:#a9aeb8;--faint:#7d838e;--line:#2d3036;--grid:#282b30;--blue:#5b9ef0;--red:#ee7b75;"
    "--amber:#f0c36a;--amber-bg:#33290f;--blue-bg:#1c2b40;--on:#fff;--deep:#3a7bd5;--warm:#c4524d}}"
    "\n"
    "@media print{:root{--page:#fff;--card:#fff;--ink:#000;--soft:#444;--faint:#666;--line:#ccc;"
    "--grid:#e5e5e5;--blue:#1f62b5;--red:#b93733;--amber:#6b4600;--amber-bg:#fff;--blue-bg:#fff;"
    "--on:#fff;--deep:#2a78d6;--warm:#d9534f}}\n";

static const char page[] =
    "*{box-sizing:border-box}body{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 "
    "system-ui,-apple-system,Segoe UI,Roboto,Helvetica Neue,Arial,sans-serif}\n"
    "main{max-width:1080px;margin:0 auto;padding:40px 24px 64px}\n"
    "h1{font-size:28px;line-height:1.2;font-weight:650;letter-spacing:-.01em;margin:0 0 6px;"
    "overflow-wrap:anywhere}h2{font-size:18px;font-weight:620;margin:40px 0 4px}h3{font-size:14px;"
    "font-weight:600;margin:24px 0 6px}\n"
    "p{margin:0 0 12px;color:var(--soft);max-width:75ch;overflow-wrap:anywhere}\n"
    ".cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(160px,1fr));gap:12px;"
    "margin:24px 0 0}.card,figure{background:var(--card);border:1px solid var(--line);"
    "border-radius:10px}.card{padding:14px 16px}.card b{display:block;font-size:30px;"
    "line-height:1.2;font-weight:620;letter-spacing:-.02em}.card span{color:var(--soft);"
    "font-size:13px}.card small{display:block;color:var(--faint);font-size:12px}\n"
    ".notes{background:var(--amber-bg);color:var(--amber);border-radius:10px;padding:12px 16px "
    "12px 34px;margin:16px 0 0}.notes li{overflow-wrap:anywhere}\n"
    ".plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:12px;"
    "margin:12px 0 0}.beside{display:grid;grid-template-columns:minmax(300px,1fr) 2fr;gap:12px "
    "32px;margin:12px 0 0;align-items:start}.beside.even{grid-template-columns:1fr 1fr}"
    "@media(max-width:760px){.beside.even,.beside{grid-template-columns:1fr}}figure.wide svg{"
    "max-width:760px}.beside table{margin:0}figure{margin:0;padding:14px 16px}figure.wide{"
    "margin-top:12px}figcaption{font-weight:600;font-size:14px;margin-bottom:8px}svg{display:block;"
    "width:100%;height:auto;font-family:inherit}.hint{font-size:12.5px;color:var(--faint);"
    "margin:8px 0 0}\n";

static const char drawings[] =
    "svg .grid{stroke:var(--grid);stroke-width:1;fill:none}svg .axis{stroke:var(--faint);"
    "stroke-width:1;fill:none}svg .guide{stroke:var(--faint);stroke-width:1;stroke-dasharray:4 4;"
    "fill:none}svg .line{stroke:var(--blue);stroke-width:2;fill:none;stroke-linejoin:round;"
    "stroke-linecap:round}svg .second{stroke:var(--faint);stroke-width:1.5}svg .thin{"
    "stroke-width:1}svg .wash{fill:var(--blue);fill-opacity:.09}svg .dot{fill:var(--blue);"
    "stroke:var(--card);stroke-width:1.5}svg .cloud{fill:var(--blue);fill-opacity:.35}svg .bar,svg "
    ".more{fill:var(--blue)}svg .heat{fill:var(--deep)}svg .heat.cold{fill:var(--warm)}svg .less{"
    "fill:var(--red)}\n"
    "svg text{fill:var(--ink);font-size:12px}svg .tick{font-size:11px;fill:var(--faint)}svg .name{"
    "font-size:11.5px;fill:var(--soft)}svg .note{font-weight:600;font-size:13px}svg .small{"
    "font-size:10.5px}svg .value,svg .cell{font-variant-numeric:tabular-nums}svg .value{"
    "fill:var(--soft)}svg .on text{fill:var(--on)}\n";

static const char tables[] =
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:13.5px;margin:8px "
    "0 0}th{text-align:left;font-weight:600;color:var(--soft);font-size:12.5px}th,td{padding:6px "
    "14px 6px 0;border-bottom:1px solid var(--line);vertical-align:top;overflow-wrap:anywhere}th,"
    "td.num{overflow-wrap:normal}td.num,th.num{text-align:right;font-variant-numeric:tabular-nums;"
    "white-space:nowrap}td.name{font-weight:550;min-width:9em}td.quiet,.quiet{color:var(--faint)}"
    "td.quiet{overflow-wrap:normal}td.params{font-size:12.5px;color:var(--soft)}\n"
    ".tag{display:inline-block;padding:1px 8px;border-radius:9px;font-size:12.5px;"
    "white-space:nowrap;border:1px solid var(--line)}.tag.key{background:var(--blue-bg);"
    "border-color:var(--blue);color:var(--ink)}.tag.warn{background:var(--amber-bg);"
    "color:var(--amber);border-color:var(--amber)}.tag.quiet{color:var(--faint)}\n"
    "dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px 20px;"
    "margin:12px 0 16px}dt{font-size:12.5px;color:var(--faint)}dd{margin:0;overflow-wrap:anywhere}"
    "pre{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;"
    "overflow:auto;font:12.5px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "footer{margin-top:48px;color:var(--faint);font-size:12.5px}\n"
    "@media print{body{font-size:11px}table{font-size:10.5px}main{max-width:none;padding:0}.plots{"
    "grid-template-columns:repeat(3,1fr)}.cards{grid-template-columns:repeat(5,1fr)}.card b{"
    "font-size:20px}figure,.card,tr,.notes{break-inside:avoid}h2,h3,h2+p{break-after:avoid}.scroll,"
    "pre{overflow:visible}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n"
    "</style></head>\n"
    "<body><main>\n";

void gm_rp_head(gm_buf *b, const char *title)
{
    gm_buf_str(b, head);
    gm_rp_text(b, title);
    gm_buf_str(b, " - Gristmill report</title>\n<style>\n");
    gm_buf_str(b, colours);
    gm_buf_str(b, page);
    gm_buf_str(b, drawings);
    gm_buf_str(b, tables);
}
