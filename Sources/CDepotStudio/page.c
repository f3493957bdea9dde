#include "CDepotStudio.h"

// The files of the page, and the modules of the JavaScript client that it is written on.

static const unsigned char address_js[] = {
#embed "../DepotStudio/Page/address.js"
};

static const unsigned char cells_js[] = {
#embed "../DepotStudio/Page/cells.js"
};

static const unsigned char conflict_js[] = {
#embed "../DepotStudio/Page/conflict.js"
};

static const unsigned char conflicts_js[] = {
#embed "../DepotStudio/Page/conflicts.js"
};

static const unsigned char differences_js[] = {
#embed "../DepotStudio/Page/differences.js"
};

static const unsigned char dom_js[] = {
#embed "../DepotStudio/Page/dom.js"
};

static const unsigned char edit_js[] = {
#embed "../DepotStudio/Page/edit.js"
};

static const unsigned char editors_js[] = {
#embed "../DepotStudio/Page/editors.js"
};

static const unsigned char edits_js[] = {
#embed "../DepotStudio/Page/edits.js"
};

static const unsigned char entities_js[] = {
#embed "../DepotStudio/Page/entities.js"
};

static const unsigned char export_js[] = {
#embed "../DepotStudio/Page/export.js"
};

static const unsigned char format_js[] = {
#embed "../DepotStudio/Page/format.js"
};

static const unsigned char former_js[] = {
#embed "../DepotStudio/Page/former.js"
};

static const unsigned char grid_js[] = {
#embed "../DepotStudio/Page/grid.js"
};

static const unsigned char history_js[] = {
#embed "../DepotStudio/Page/history.js"
};

static const unsigned char icon_svg[] = {
#embed "../DepotStudio/Page/icon.svg"
};

static const unsigned char index_html[] = {
#embed "../DepotStudio/Page/index.html"
};

static const unsigned char keys_js[] = {
#embed "../DepotStudio/Page/keys.js"
};

static const unsigned char large_js[] = {
#embed "../DepotStudio/Page/large.js"
};

static const unsigned char lines_js[] = {
#embed "../DepotStudio/Page/lines.js"
};

static const unsigned char menu_js[] = {
#embed "../DepotStudio/Page/menu.js"
};

static const unsigned char metrics_js[] = {
#embed "../DepotStudio/Page/metrics.js"
};

static const unsigned char object_js[] = {
#embed "../DepotStudio/Page/object.js"
};

static const unsigned char overview_js[] = {
#embed "../DepotStudio/Page/overview.js"
};

static const unsigned char past_js[] = {
#embed "../DepotStudio/Page/past.js"
};

static const unsigned char predicate_js[] = {
#embed "../DepotStudio/Page/predicate.js"
};

static const unsigned char predicates_js[] = {
#embed "../DepotStudio/Page/predicates.js"
};

static const unsigned char query_js[] = {
#embed "../DepotStudio/Page/query.js"
};

static const unsigned char related_js[] = {
#embed "../DepotStudio/Page/related.js"
};

static const unsigned char rows_js[] = {
#embed "../DepotStudio/Page/rows.js"
};

static const unsigned char schema_js[] = {
#embed "../DepotStudio/Page/schema.js"
};

static const unsigned char schemaview_js[] = {
#embed "../DepotStudio/Page/schemaview.js"
};

static const unsigned char service_js[] = {
#embed "../DepotStudio/Page/service.js"
};

static const unsigned char session_js[] = {
#embed "../DepotStudio/Page/session.js"
};

static const unsigned char studio_css[] = {
#embed "../DepotStudio/Page/studio.css"
};

static const unsigned char studio_js[] = {
#embed "../DepotStudio/Page/studio.js"
};

static const unsigned char table_js[] = {
#embed "../DepotStudio/Page/table.js"
};

static const unsigned char texts_js[] = {
#embed "../DepotStudio/Page/texts.js"
};

static const unsigned char transactions_js[] = {
#embed "../DepotStudio/Page/transactions.js"
};

static const unsigned char values_js[] = {
#embed "../DepotStudio/Page/values.js"
};

static const unsigned char window_js[] = {
#embed "../DepotStudio/Page/window.js"
};

static const unsigned char client_batches_js[] = {
#embed "../../proto-docs/clients/js/batches.js"
};

static const unsigned char client_browser_js[] = {
#embed "../../proto-docs/clients/js/browser.js"
};

static const unsigned char client_depot_js[] = {
#embed "../../proto-docs/clients/js/depot.js"
};

static const unsigned char client_entity_js[] = {
#embed "../../proto-docs/clients/js/entity.js"
};

static const unsigned char client_errors_js[] = {
#embed "../../proto-docs/clients/js/errors.js"
};

static const unsigned char client_json_js[] = {
#embed "../../proto-docs/clients/js/json.js"
};

static const unsigned char client_keys_js[] = {
#embed "../../proto-docs/clients/js/keys.js"
};

static const unsigned char client_link_js[] = {
#embed "../../proto-docs/clients/js/link.js"
};

static const unsigned char client_rows_js[] = {
#embed "../../proto-docs/clients/js/rows.js"
};

static const unsigned char client_values_js[] = {
#embed "../../proto-docs/clients/js/values.js"
};

static const unsigned char client_watch_js[] = {
#embed "../../proto-docs/clients/js/watch.js"
};

static const struct DepotStudioFile files[] = {
    {"address.js", address_js, sizeof address_js},
    {"cells.js", cells_js, sizeof cells_js},
    {"conflict.js", conflict_js, sizeof conflict_js},
    {"conflicts.js", conflicts_js, sizeof conflicts_js},
    {"differences.js", differences_js, sizeof differences_js},
    {"dom.js", dom_js, sizeof dom_js},
    {"edit.js", edit_js, sizeof edit_js},
    {"editors.js", editors_js, sizeof editors_js},
    {"edits.js", edits_js, sizeof edits_js},
    {"entities.js", entities_js, sizeof entities_js},
    {"export.js", export_js, sizeof export_js},
    {"format.js", format_js, sizeof format_js},
    {"former.js", former_js, sizeof former_js},
    {"grid.js", grid_js, sizeof grid_js},
    {"history.js", history_js, sizeof history_js},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"keys.js", keys_js, sizeof keys_js},
    {"large.js", large_js, sizeof large_js},
    {"lines.js", lines_js, sizeof lines_js},
    {"menu.js", menu_js, sizeof menu_js},
    {"metrics.js", metrics_js, sizeof metrics_js},
    {"object.js", object_js, sizeof object_js},
    {"overview.js", overview_js, sizeof overview_js},
    {"past.js", past_js, sizeof past_js},
    {"predicate.js", predicate_js, sizeof predicate_js},
    {"predicates.js", predicates_js, sizeof predicates_js},
    {"query.js", query_js, sizeof query_js},
    {"related.js", related_js, sizeof related_js},
    {"rows.js", rows_js, sizeof rows_js},
    {"schema.js", schema_js, sizeof schema_js},
    {"schemaview.js", schemaview_js, sizeof schemaview_js},
    {"service.js", service_js, sizeof service_js},
    {"session.js", session_js, sizeof session_js},
    {"studio.css", studio_css, sizeof studio_css},
    {"studio.js", studio_js, sizeof studio_js},
    {"table.js", table_js, sizeof table_js},
    {"texts.js", texts_js, sizeof texts_js},
    {"transactions.js", transactions_js, sizeof transactions_js},
    {"values.js", values_js, sizeof values_js},
    {"window.js", window_js, sizeof window_js},
    {"client/batches.js", client_batches_js, sizeof client_batches_js},
    {"client/browser.js", client_browser_js, sizeof client_browser_js},
    {"client/depot.js", client_depot_js, sizeof client_depot_js},
    {"client/entity.js", client_entity_js, sizeof client_entity_js},
    {"client/errors.js", client_errors_js, sizeof client_errors_js},
    {"client/json.js", client_json_js, sizeof client_json_js},
    {"client/keys.js", client_keys_js, sizeof client_keys_js},
    {"client/link.js", client_link_js, sizeof client_link_js},
    {"client/rows.js", client_rows_js, sizeof client_rows_js},
    {"client/values.js", client_values_js, sizeof client_values_js},
    {"client/watch.js", client_watch_js, sizeof client_watch_js},
};

size_t depotStudioFileCount(void) { return sizeof files / sizeof *files; }

struct DepotStudioFile depotStudioFile(size_t position) { return files[position]; }
