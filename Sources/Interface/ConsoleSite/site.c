// The files of the folder Site, inside the binary: the console needs no file beside it. Written by scripts/console-site.
//
// The compiler notes each embedded file as a dependency, so that a change of it is built.

#include "ConsoleSite.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const uint8_t areas_activity_activity_css[] = {
#embed "Site/areas/activity/activity.css"
};

static const uint8_t areas_activity_activity_js[] = {
#embed "Site/areas/activity/activity.js"
};

static const uint8_t areas_activity_words_js[] = {
#embed "Site/areas/activity/words.js"
};

static const uint8_t areas_censorship_card_js[] = {
#embed "Site/areas/censorship/card.js"
};

static const uint8_t areas_censorship_censorship_css[] = {
#embed "Site/areas/censorship/censorship.css"
};

static const uint8_t areas_censorship_censorship_js[] = {
#embed "Site/areas/censorship/censorship.js"
};

static const uint8_t areas_censorship_decisions_js[] = {
#embed "Site/areas/censorship/decisions.js"
};

static const uint8_t areas_censorship_estimate_js[] = {
#embed "Site/areas/censorship/estimate.js"
};

static const uint8_t areas_censorship_histogram_js[] = {
#embed "Site/areas/censorship/histogram.js"
};

static const uint8_t areas_censorship_history_js[] = {
#embed "Site/areas/censorship/history.js"
};

static const uint8_t areas_censorship_picture_js[] = {
#embed "Site/areas/censorship/picture.js"
};

static const uint8_t areas_censorship_review_items_js[] = {
#embed "Site/areas/censorship/review-items.js"
};

static const uint8_t areas_censorship_review_list_js[] = {
#embed "Site/areas/censorship/review-list.js"
};

static const uint8_t areas_censorship_review_js[] = {
#embed "Site/areas/censorship/review.js"
};

static const uint8_t areas_censorship_runs_js[] = {
#embed "Site/areas/censorship/runs.js"
};

static const uint8_t areas_censorship_status_js[] = {
#embed "Site/areas/censorship/status.js"
};

static const uint8_t areas_censorship_thresholds_css[] = {
#embed "Site/areas/censorship/thresholds.css"
};

static const uint8_t areas_censorship_thresholds_js[] = {
#embed "Site/areas/censorship/thresholds.js"
};

static const uint8_t areas_censorship_thumbs_js[] = {
#embed "Site/areas/censorship/thumbs.js"
};

static const uint8_t areas_censorship_verdict_panel_js[] = {
#embed "Site/areas/censorship/verdict-panel.js"
};

static const uint8_t areas_censorship_verdict_words_js[] = {
#embed "Site/areas/censorship/verdict-words.js"
};

static const uint8_t areas_censorship_words_zh_js[] = {
#embed "Site/areas/censorship/words-zh.js"
};

static const uint8_t areas_censorship_words_js[] = {
#embed "Site/areas/censorship/words.js"
};

static const uint8_t areas_data_add_js[] = {
#embed "Site/areas/data/add.js"
};

static const uint8_t areas_data_class_page_js[] = {
#embed "Site/areas/data/class-page.js"
};

static const uint8_t areas_data_class_tools_js[] = {
#embed "Site/areas/data/class-tools.js"
};

static const uint8_t areas_data_classes_js[] = {
#embed "Site/areas/data/classes.js"
};

static const uint8_t areas_data_condition_js[] = {
#embed "Site/areas/data/condition.js"
};

static const uint8_t areas_data_counts_js[] = {
#embed "Site/areas/data/counts.js"
};

static const uint8_t areas_data_csv_js[] = {
#embed "Site/areas/data/csv.js"
};

static const uint8_t areas_data_data_css[] = {
#embed "Site/areas/data/data.css"
};

static const uint8_t areas_data_data_js[] = {
#embed "Site/areas/data/data.js"
};

static const uint8_t areas_data_edit_js[] = {
#embed "Site/areas/data/edit.js"
};

static const uint8_t areas_data_editors_acl_js[] = {
#embed "Site/areas/data/editors/acl.js"
};

static const uint8_t areas_data_editors_boolean_js[] = {
#embed "Site/areas/data/editors/boolean.js"
};

static const uint8_t areas_data_editors_bytes_js[] = {
#embed "Site/areas/data/editors/bytes.js"
};

static const uint8_t areas_data_editors_date_js[] = {
#embed "Site/areas/data/editors/date.js"
};

static const uint8_t areas_data_editors_editors_js[] = {
#embed "Site/areas/data/editors/editors.js"
};

static const uint8_t areas_data_editors_file_js[] = {
#embed "Site/areas/data/editors/file.js"
};

static const uint8_t areas_data_editors_json_js[] = {
#embed "Site/areas/data/editors/json.js"
};

static const uint8_t areas_data_editors_number_js[] = {
#embed "Site/areas/data/editors/number.js"
};

static const uint8_t areas_data_editors_password_js[] = {
#embed "Site/areas/data/editors/password.js"
};

static const uint8_t areas_data_editors_place_js[] = {
#embed "Site/areas/data/editors/place.js"
};

static const uint8_t areas_data_editors_pointer_js[] = {
#embed "Site/areas/data/editors/pointer.js"
};

static const uint8_t areas_data_editors_string_js[] = {
#embed "Site/areas/data/editors/string.js"
};

static const uint8_t areas_data_explanation_js[] = {
#embed "Site/areas/data/explanation.js"
};

static const uint8_t areas_data_export_js[] = {
#embed "Site/areas/data/export.js"
};

static const uint8_t areas_data_fields_js[] = {
#embed "Site/areas/data/fields.js"
};

static const uint8_t areas_data_filter_row_js[] = {
#embed "Site/areas/data/filter-row.js"
};

static const uint8_t areas_data_filter_js[] = {
#embed "Site/areas/data/filter.js"
};

static const uint8_t areas_data_grid_head_js[] = {
#embed "Site/areas/data/grid-head.js"
};

static const uint8_t areas_data_grid_keys_js[] = {
#embed "Site/areas/data/grid-keys.js"
};

static const uint8_t areas_data_grid_row_js[] = {
#embed "Site/areas/data/grid-row.js"
};

static const uint8_t areas_data_grid_js[] = {
#embed "Site/areas/data/grid.js"
};

static const uint8_t areas_data_progress_js[] = {
#embed "Site/areas/data/progress.js"
};

static const uint8_t areas_data_query_js[] = {
#embed "Site/areas/data/query.js"
};

static const uint8_t areas_data_relation_js[] = {
#embed "Site/areas/data/relation.js"
};

static const uint8_t areas_data_remove_js[] = {
#embed "Site/areas/data/remove.js"
};

static const uint8_t areas_data_rows_js[] = {
#embed "Site/areas/data/rows.js"
};

static const uint8_t areas_data_selected_js[] = {
#embed "Site/areas/data/selected.js"
};

static const uint8_t areas_data_selection_js[] = {
#embed "Site/areas/data/selection.js"
};

static const uint8_t areas_data_shortcuts_js[] = {
#embed "Site/areas/data/shortcuts.js"
};

static const uint8_t areas_data_words_en_js[] = {
#embed "Site/areas/data/words/en.js"
};

static const uint8_t areas_data_words_zh_js[] = {
#embed "Site/areas/data/words/zh.js"
};

static const uint8_t areas_files_browser_js[] = {
#embed "Site/areas/files/browser.js"
};

static const uint8_t areas_files_chain_js[] = {
#embed "Site/areas/files/chain.js"
};

static const uint8_t areas_files_clipboard_js[] = {
#embed "Site/areas/files/clipboard.js"
};

static const uint8_t areas_files_deletion_js[] = {
#embed "Site/areas/files/deletion.js"
};

static const uint8_t areas_files_details_js[] = {
#embed "Site/areas/files/details.js"
};

static const uint8_t areas_files_drop_js[] = {
#embed "Site/areas/files/drop.js"
};

static const uint8_t areas_files_files_css[] = {
#embed "Site/areas/files/files.css"
};

static const uint8_t areas_files_files_js[] = {
#embed "Site/areas/files/files.js"
};

static const uint8_t areas_files_filter_js[] = {
#embed "Site/areas/files/filter.js"
};

static const uint8_t areas_files_grid_js[] = {
#embed "Site/areas/files/grid.js"
};

static const uint8_t areas_files_journal_js[] = {
#embed "Site/areas/files/journal.js"
};

static const uint8_t areas_files_kinds_js[] = {
#embed "Site/areas/files/kinds.js"
};

static const uint8_t areas_files_list_js[] = {
#embed "Site/areas/files/list.js"
};

static const uint8_t areas_files_metadata_js[] = {
#embed "Site/areas/files/metadata.js"
};

static const uint8_t areas_files_operations_js[] = {
#embed "Site/areas/files/operations.js"
};

static const uint8_t areas_files_preview_js[] = {
#embed "Site/areas/files/preview.js"
};

static const uint8_t areas_files_queue_js[] = {
#embed "Site/areas/files/queue.js"
};

static const uint8_t areas_files_references_list_js[] = {
#embed "Site/areas/files/references-list.js"
};

static const uint8_t areas_files_references_js[] = {
#embed "Site/areas/files/references.js"
};

static const uint8_t areas_files_space_js[] = {
#embed "Site/areas/files/space.js"
};

static const uint8_t areas_files_thumbnails_js[] = {
#embed "Site/areas/files/thumbnails.js"
};

static const uint8_t areas_files_tile_js[] = {
#embed "Site/areas/files/tile.js"
};

static const uint8_t areas_files_trash_js[] = {
#embed "Site/areas/files/trash.js"
};

static const uint8_t areas_files_tus_js[] = {
#embed "Site/areas/files/tus.js"
};

static const uint8_t areas_files_upload_panel_js[] = {
#embed "Site/areas/files/upload-panel.js"
};

static const uint8_t areas_files_views_css[] = {
#embed "Site/areas/files/views.css"
};

static const uint8_t areas_files_words_zh_js[] = {
#embed "Site/areas/files/words-zh.js"
};

static const uint8_t areas_files_words_js[] = {
#embed "Site/areas/files/words.js"
};

static const uint8_t areas_first_steps_connection_js[] = {
#embed "Site/areas/first-steps/connection.js"
};

static const uint8_t areas_first_steps_first_steps_css[] = {
#embed "Site/areas/first-steps/first-steps.css"
};

static const uint8_t areas_first_steps_first_steps_js[] = {
#embed "Site/areas/first-steps/first-steps.js"
};

static const uint8_t areas_first_steps_lines_js[] = {
#embed "Site/areas/first-steps/lines.js"
};

static const uint8_t areas_first_steps_state_js[] = {
#embed "Site/areas/first-steps/state.js"
};

static const uint8_t areas_first_steps_step_js[] = {
#embed "Site/areas/first-steps/step.js"
};

static const uint8_t areas_first_steps_upload_js[] = {
#embed "Site/areas/first-steps/upload.js"
};

static const uint8_t areas_first_steps_words_zh_js[] = {
#embed "Site/areas/first-steps/words-zh.js"
};

static const uint8_t areas_first_steps_words_js[] = {
#embed "Site/areas/first-steps/words.js"
};

static const uint8_t areas_people_access_js[] = {
#embed "Site/areas/people/access.js"
};

static const uint8_t areas_people_audience_js[] = {
#embed "Site/areas/people/audience.js"
};

static const uint8_t areas_people_belongings_js[] = {
#embed "Site/areas/people/belongings.js"
};

static const uint8_t areas_people_confirm_js[] = {
#embed "Site/areas/people/confirm.js"
};

static const uint8_t areas_people_links_js[] = {
#embed "Site/areas/people/links.js"
};

static const uint8_t areas_people_matrix_js[] = {
#embed "Site/areas/people/matrix.js"
};

static const uint8_t areas_people_members_js[] = {
#embed "Site/areas/people/members.js"
};

static const uint8_t areas_people_pager_js[] = {
#embed "Site/areas/people/pager.js"
};

static const uint8_t areas_people_password_js[] = {
#embed "Site/areas/people/password.js"
};

static const uint8_t areas_people_people_css[] = {
#embed "Site/areas/people/people.css"
};

static const uint8_t areas_people_people_js[] = {
#embed "Site/areas/people/people.js"
};

static const uint8_t areas_people_permission_edit_js[] = {
#embed "Site/areas/people/permission-edit.js"
};

static const uint8_t areas_people_permissions_js[] = {
#embed "Site/areas/people/permissions.js"
};

static const uint8_t areas_people_role_graph_js[] = {
#embed "Site/areas/people/role-graph.js"
};

static const uint8_t areas_people_role_tree_js[] = {
#embed "Site/areas/people/role-tree.js"
};

static const uint8_t areas_people_role_js[] = {
#embed "Site/areas/people/role.js"
};

static const uint8_t areas_people_roles_css[] = {
#embed "Site/areas/people/roles.css"
};

static const uint8_t areas_people_roles_js[] = {
#embed "Site/areas/people/roles.js"
};

static const uint8_t areas_people_sessions_js[] = {
#embed "Site/areas/people/sessions.js"
};

static const uint8_t areas_people_titles_js[] = {
#embed "Site/areas/people/titles.js"
};

static const uint8_t areas_people_user_facts_js[] = {
#embed "Site/areas/people/user-facts.js"
};

static const uint8_t areas_people_user_roles_js[] = {
#embed "Site/areas/people/user-roles.js"
};

static const uint8_t areas_people_user_js[] = {
#embed "Site/areas/people/user.js"
};

static const uint8_t areas_people_users_js[] = {
#embed "Site/areas/people/users.js"
};

static const uint8_t areas_people_words_en_js[] = {
#embed "Site/areas/people/words/en.js"
};

static const uint8_t areas_people_words_zh_js[] = {
#embed "Site/areas/people/words/zh.js"
};

static const uint8_t areas_server_changes_js[] = {
#embed "Site/areas/server/changes.js"
};

static const uint8_t areas_server_chart_js[] = {
#embed "Site/areas/server/chart.js"
};

static const uint8_t areas_server_failures_js[] = {
#embed "Site/areas/server/failures.js"
};

static const uint8_t areas_server_format_js[] = {
#embed "Site/areas/server/format.js"
};

static const uint8_t areas_server_history_js[] = {
#embed "Site/areas/server/history.js"
};

static const uint8_t areas_server_merge_js[] = {
#embed "Site/areas/server/merge.js"
};

static const uint8_t areas_server_notes_js[] = {
#embed "Site/areas/server/notes.js"
};

static const uint8_t areas_server_overview_js[] = {
#embed "Site/areas/server/overview.js"
};

static const uint8_t areas_server_parts_js[] = {
#embed "Site/areas/server/parts.js"
};

static const uint8_t areas_server_server_css[] = {
#embed "Site/areas/server/server.css"
};

static const uint8_t areas_server_server_js[] = {
#embed "Site/areas/server/server.js"
};

static const uint8_t areas_server_settings_js[] = {
#embed "Site/areas/server/settings.js"
};

static const uint8_t areas_server_version_js[] = {
#embed "Site/areas/server/version.js"
};

static const uint8_t areas_server_words_en_js[] = {
#embed "Site/areas/server/words/en.js"
};

static const uint8_t areas_server_words_zh_js[] = {
#embed "Site/areas/server/words/zh.js"
};

static const uint8_t console_css[] = {
#embed "Site/console.css"
};

static const uint8_t controls_css[] = {
#embed "Site/controls.css"
};

static const uint8_t dialogs_css[] = {
#embed "Site/dialogs.css"
};

static const uint8_t icon_svg[] = {
#embed "Site/icon.svg"
};

static const uint8_t index_html[] = {
#embed "Site/index.html"
};

static const uint8_t scripts_areas_js[] = {
#embed "Site/scripts/areas.js"
};

static const uint8_t scripts_classes_js[] = {
#embed "Site/scripts/classes.js"
};

static const uint8_t scripts_client_js[] = {
#embed "Site/scripts/client.js"
};

static const uint8_t scripts_code_block_js[] = {
#embed "Site/scripts/code-block.js"
};

static const uint8_t scripts_dialogs_js[] = {
#embed "Site/scripts/dialogs.js"
};

static const uint8_t scripts_element_js[] = {
#embed "Site/scripts/element.js"
};

static const uint8_t scripts_finder_js[] = {
#embed "Site/scripts/finder.js"
};

static const uint8_t scripts_frame_js[] = {
#embed "Site/scripts/frame.js"
};

static const uint8_t scripts_images_js[] = {
#embed "Site/scripts/images.js"
};

static const uint8_t scripts_login_js[] = {
#embed "Site/scripts/login.js"
};

static const uint8_t scripts_notices_js[] = {
#embed "Site/scripts/notices.js"
};

static const uint8_t scripts_numbers_js[] = {
#embed "Site/scripts/numbers.js"
};

static const uint8_t scripts_panel_js[] = {
#embed "Site/scripts/panel.js"
};

static const uint8_t scripts_refresh_js[] = {
#embed "Site/scripts/refresh.js"
};

static const uint8_t scripts_router_js[] = {
#embed "Site/scripts/router.js"
};

static const uint8_t scripts_search_js[] = {
#embed "Site/scripts/search.js"
};

static const uint8_t scripts_shortcuts_js[] = {
#embed "Site/scripts/shortcuts.js"
};

static const uint8_t scripts_start_js[] = {
#embed "Site/scripts/start.js"
};

static const uint8_t scripts_tabs_js[] = {
#embed "Site/scripts/tabs.js"
};

static const uint8_t scripts_values_js[] = {
#embed "Site/scripts/values.js"
};

static const uint8_t scripts_words_js[] = {
#embed "Site/scripts/words.js"
};

static const uint8_t words_en_js[] = {
#embed "Site/words/en.js"
};

static const uint8_t words_zh_js[] = {
#embed "Site/words/zh.js"
};

static const struct console_file files[] = {
    {"areas/activity/activity.css", areas_activity_activity_css, sizeof areas_activity_activity_css},
    {"areas/activity/activity.js", areas_activity_activity_js, sizeof areas_activity_activity_js},
    {"areas/activity/words.js", areas_activity_words_js, sizeof areas_activity_words_js},
    {"areas/censorship/card.js", areas_censorship_card_js, sizeof areas_censorship_card_js},
    {"areas/censorship/censorship.css", areas_censorship_censorship_css, sizeof areas_censorship_censorship_css},
    {"areas/censorship/censorship.js", areas_censorship_censorship_js, sizeof areas_censorship_censorship_js},
    {"areas/censorship/decisions.js", areas_censorship_decisions_js, sizeof areas_censorship_decisions_js},
    {"areas/censorship/estimate.js", areas_censorship_estimate_js, sizeof areas_censorship_estimate_js},
    {"areas/censorship/histogram.js", areas_censorship_histogram_js, sizeof areas_censorship_histogram_js},
    {"areas/censorship/history.js", areas_censorship_history_js, sizeof areas_censorship_history_js},
    {"areas/censorship/picture.js", areas_censorship_picture_js, sizeof areas_censorship_picture_js},
    {"areas/censorship/review-items.js", areas_censorship_review_items_js, sizeof areas_censorship_review_items_js},
    {"areas/censorship/review-list.js", areas_censorship_review_list_js, sizeof areas_censorship_review_list_js},
    {"areas/censorship/review.js", areas_censorship_review_js, sizeof areas_censorship_review_js},
    {"areas/censorship/runs.js", areas_censorship_runs_js, sizeof areas_censorship_runs_js},
    {"areas/censorship/status.js", areas_censorship_status_js, sizeof areas_censorship_status_js},
    {"areas/censorship/thresholds.css", areas_censorship_thresholds_css, sizeof areas_censorship_thresholds_css},
    {"areas/censorship/thresholds.js", areas_censorship_thresholds_js, sizeof areas_censorship_thresholds_js},
    {"areas/censorship/thumbs.js", areas_censorship_thumbs_js, sizeof areas_censorship_thumbs_js},
    {"areas/censorship/verdict-panel.js", areas_censorship_verdict_panel_js, sizeof areas_censorship_verdict_panel_js},
    {"areas/censorship/verdict-words.js", areas_censorship_verdict_words_js, sizeof areas_censorship_verdict_words_js},
    {"areas/censorship/words-zh.js", areas_censorship_words_zh_js, sizeof areas_censorship_words_zh_js},
    {"areas/censorship/words.js", areas_censorship_words_js, sizeof areas_censorship_words_js},
    {"areas/data/add.js", areas_data_add_js, sizeof areas_data_add_js},
    {"areas/data/class-page.js", areas_data_class_page_js, sizeof areas_data_class_page_js},
    {"areas/data/class-tools.js", areas_data_class_tools_js, sizeof areas_data_class_tools_js},
    {"areas/data/classes.js", areas_data_classes_js, sizeof areas_data_classes_js},
    {"areas/data/condition.js", areas_data_condition_js, sizeof areas_data_condition_js},
    {"areas/data/counts.js", areas_data_counts_js, sizeof areas_data_counts_js},
    {"areas/data/csv.js", areas_data_csv_js, sizeof areas_data_csv_js},
    {"areas/data/data.css", areas_data_data_css, sizeof areas_data_data_css},
    {"areas/data/data.js", areas_data_data_js, sizeof areas_data_data_js},
    {"areas/data/edit.js", areas_data_edit_js, sizeof areas_data_edit_js},
    {"areas/data/editors/acl.js", areas_data_editors_acl_js, sizeof areas_data_editors_acl_js},
    {"areas/data/editors/boolean.js", areas_data_editors_boolean_js, sizeof areas_data_editors_boolean_js},
    {"areas/data/editors/bytes.js", areas_data_editors_bytes_js, sizeof areas_data_editors_bytes_js},
    {"areas/data/editors/date.js", areas_data_editors_date_js, sizeof areas_data_editors_date_js},
    {"areas/data/editors/editors.js", areas_data_editors_editors_js, sizeof areas_data_editors_editors_js},
    {"areas/data/editors/file.js", areas_data_editors_file_js, sizeof areas_data_editors_file_js},
    {"areas/data/editors/json.js", areas_data_editors_json_js, sizeof areas_data_editors_json_js},
    {"areas/data/editors/number.js", areas_data_editors_number_js, sizeof areas_data_editors_number_js},
    {"areas/data/editors/password.js", areas_data_editors_password_js, sizeof areas_data_editors_password_js},
    {"areas/data/editors/place.js", areas_data_editors_place_js, sizeof areas_data_editors_place_js},
    {"areas/data/editors/pointer.js", areas_data_editors_pointer_js, sizeof areas_data_editors_pointer_js},
    {"areas/data/editors/string.js", areas_data_editors_string_js, sizeof areas_data_editors_string_js},
    {"areas/data/explanation.js", areas_data_explanation_js, sizeof areas_data_explanation_js},
    {"areas/data/export.js", areas_data_export_js, sizeof areas_data_export_js},
    {"areas/data/fields.js", areas_data_fields_js, sizeof areas_data_fields_js},
    {"areas/data/filter-row.js", areas_data_filter_row_js, sizeof areas_data_filter_row_js},
    {"areas/data/filter.js", areas_data_filter_js, sizeof areas_data_filter_js},
    {"areas/data/grid-head.js", areas_data_grid_head_js, sizeof areas_data_grid_head_js},
    {"areas/data/grid-keys.js", areas_data_grid_keys_js, sizeof areas_data_grid_keys_js},
    {"areas/data/grid-row.js", areas_data_grid_row_js, sizeof areas_data_grid_row_js},
    {"areas/data/grid.js", areas_data_grid_js, sizeof areas_data_grid_js},
    {"areas/data/progress.js", areas_data_progress_js, sizeof areas_data_progress_js},
    {"areas/data/query.js", areas_data_query_js, sizeof areas_data_query_js},
    {"areas/data/relation.js", areas_data_relation_js, sizeof areas_data_relation_js},
    {"areas/data/remove.js", areas_data_remove_js, sizeof areas_data_remove_js},
    {"areas/data/rows.js", areas_data_rows_js, sizeof areas_data_rows_js},
    {"areas/data/selected.js", areas_data_selected_js, sizeof areas_data_selected_js},
    {"areas/data/selection.js", areas_data_selection_js, sizeof areas_data_selection_js},
    {"areas/data/shortcuts.js", areas_data_shortcuts_js, sizeof areas_data_shortcuts_js},
    {"areas/data/words/en.js", areas_data_words_en_js, sizeof areas_data_words_en_js},
    {"areas/data/words/zh.js", areas_data_words_zh_js, sizeof areas_data_words_zh_js},
    {"areas/files/browser.js", areas_files_browser_js, sizeof areas_files_browser_js},
    {"areas/files/chain.js", areas_files_chain_js, sizeof areas_files_chain_js},
    {"areas/files/clipboard.js", areas_files_clipboard_js, sizeof areas_files_clipboard_js},
    {"areas/files/deletion.js", areas_files_deletion_js, sizeof areas_files_deletion_js},
    {"areas/files/details.js", areas_files_details_js, sizeof areas_files_details_js},
    {"areas/files/drop.js", areas_files_drop_js, sizeof areas_files_drop_js},
    {"areas/files/files.css", areas_files_files_css, sizeof areas_files_files_css},
    {"areas/files/files.js", areas_files_files_js, sizeof areas_files_files_js},
    {"areas/files/filter.js", areas_files_filter_js, sizeof areas_files_filter_js},
    {"areas/files/grid.js", areas_files_grid_js, sizeof areas_files_grid_js},
    {"areas/files/journal.js", areas_files_journal_js, sizeof areas_files_journal_js},
    {"areas/files/kinds.js", areas_files_kinds_js, sizeof areas_files_kinds_js},
    {"areas/files/list.js", areas_files_list_js, sizeof areas_files_list_js},
    {"areas/files/metadata.js", areas_files_metadata_js, sizeof areas_files_metadata_js},
    {"areas/files/operations.js", areas_files_operations_js, sizeof areas_files_operations_js},
    {"areas/files/preview.js", areas_files_preview_js, sizeof areas_files_preview_js},
    {"areas/files/queue.js", areas_files_queue_js, sizeof areas_files_queue_js},
    {"areas/files/references-list.js", areas_files_references_list_js, sizeof areas_files_references_list_js},
    {"areas/files/references.js", areas_files_references_js, sizeof areas_files_references_js},
    {"areas/files/space.js", areas_files_space_js, sizeof areas_files_space_js},
    {"areas/files/thumbnails.js", areas_files_thumbnails_js, sizeof areas_files_thumbnails_js},
    {"areas/files/tile.js", areas_files_tile_js, sizeof areas_files_tile_js},
    {"areas/files/trash.js", areas_files_trash_js, sizeof areas_files_trash_js},
    {"areas/files/tus.js", areas_files_tus_js, sizeof areas_files_tus_js},
    {"areas/files/upload-panel.js", areas_files_upload_panel_js, sizeof areas_files_upload_panel_js},
    {"areas/files/views.css", areas_files_views_css, sizeof areas_files_views_css},
    {"areas/files/words-zh.js", areas_files_words_zh_js, sizeof areas_files_words_zh_js},
    {"areas/files/words.js", areas_files_words_js, sizeof areas_files_words_js},
    {"areas/first-steps/connection.js", areas_first_steps_connection_js, sizeof areas_first_steps_connection_js},
    {"areas/first-steps/first-steps.css", areas_first_steps_first_steps_css, sizeof areas_first_steps_first_steps_css},
    {"areas/first-steps/first-steps.js", areas_first_steps_first_steps_js, sizeof areas_first_steps_first_steps_js},
    {"areas/first-steps/lines.js", areas_first_steps_lines_js, sizeof areas_first_steps_lines_js},
    {"areas/first-steps/state.js", areas_first_steps_state_js, sizeof areas_first_steps_state_js},
    {"areas/first-steps/step.js", areas_first_steps_step_js, sizeof areas_first_steps_step_js},
    {"areas/first-steps/upload.js", areas_first_steps_upload_js, sizeof areas_first_steps_upload_js},
    {"areas/first-steps/words-zh.js", areas_first_steps_words_zh_js, sizeof areas_first_steps_words_zh_js},
    {"areas/first-steps/words.js", areas_first_steps_words_js, sizeof areas_first_steps_words_js},
    {"areas/people/access.js", areas_people_access_js, sizeof areas_people_access_js},
    {"areas/people/audience.js", areas_people_audience_js, sizeof areas_people_audience_js},
    {"areas/people/belongings.js", areas_people_belongings_js, sizeof areas_people_belongings_js},
    {"areas/people/confirm.js", areas_people_confirm_js, sizeof areas_people_confirm_js},
    {"areas/people/links.js", areas_people_links_js, sizeof areas_people_links_js},
    {"areas/people/matrix.js", areas_people_matrix_js, sizeof areas_people_matrix_js},
    {"areas/people/members.js", areas_people_members_js, sizeof areas_people_members_js},
    {"areas/people/pager.js", areas_people_pager_js, sizeof areas_people_pager_js},
    {"areas/people/password.js", areas_people_password_js, sizeof areas_people_password_js},
    {"areas/people/people.css", areas_people_people_css, sizeof areas_people_people_css},
    {"areas/people/people.js", areas_people_people_js, sizeof areas_people_people_js},
    {"areas/people/permission-edit.js", areas_people_permission_edit_js, sizeof areas_people_permission_edit_js},
    {"areas/people/permissions.js", areas_people_permissions_js, sizeof areas_people_permissions_js},
    {"areas/people/role-graph.js", areas_people_role_graph_js, sizeof areas_people_role_graph_js},
    {"areas/people/role-tree.js", areas_people_role_tree_js, sizeof areas_people_role_tree_js},
    {"areas/people/role.js", areas_people_role_js, sizeof areas_people_role_js},
    {"areas/people/roles.css", areas_people_roles_css, sizeof areas_people_roles_css},
    {"areas/people/roles.js", areas_people_roles_js, sizeof areas_people_roles_js},
    {"areas/people/sessions.js", areas_people_sessions_js, sizeof areas_people_sessions_js},
    {"areas/people/titles.js", areas_people_titles_js, sizeof areas_people_titles_js},
    {"areas/people/user-facts.js", areas_people_user_facts_js, sizeof areas_people_user_facts_js},
    {"areas/people/user-roles.js", areas_people_user_roles_js, sizeof areas_people_user_roles_js},
    {"areas/people/user.js", areas_people_user_js, sizeof areas_people_user_js},
    {"areas/people/users.js", areas_people_users_js, sizeof areas_people_users_js},
    {"areas/people/words/en.js", areas_people_words_en_js, sizeof areas_people_words_en_js},
    {"areas/people/words/zh.js", areas_people_words_zh_js, sizeof areas_people_words_zh_js},
    {"areas/server/changes.js", areas_server_changes_js, sizeof areas_server_changes_js},
    {"areas/server/chart.js", areas_server_chart_js, sizeof areas_server_chart_js},
    {"areas/server/failures.js", areas_server_failures_js, sizeof areas_server_failures_js},
    {"areas/server/format.js", areas_server_format_js, sizeof areas_server_format_js},
    {"areas/server/history.js", areas_server_history_js, sizeof areas_server_history_js},
    {"areas/server/merge.js", areas_server_merge_js, sizeof areas_server_merge_js},
    {"areas/server/notes.js", areas_server_notes_js, sizeof areas_server_notes_js},
    {"areas/server/overview.js", areas_server_overview_js, sizeof areas_server_overview_js},
    {"areas/server/parts.js", areas_server_parts_js, sizeof areas_server_parts_js},
    {"areas/server/server.css", areas_server_server_css, sizeof areas_server_server_css},
    {"areas/server/server.js", areas_server_server_js, sizeof areas_server_server_js},
    {"areas/server/settings.js", areas_server_settings_js, sizeof areas_server_settings_js},
    {"areas/server/version.js", areas_server_version_js, sizeof areas_server_version_js},
    {"areas/server/words/en.js", areas_server_words_en_js, sizeof areas_server_words_en_js},
    {"areas/server/words/zh.js", areas_server_words_zh_js, sizeof areas_server_words_zh_js},
    {"console.css", console_css, sizeof console_css},
    {"controls.css", controls_css, sizeof controls_css},
    {"dialogs.css", dialogs_css, sizeof dialogs_css},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"index.html", index_html, sizeof index_html},
    {"scripts/areas.js", scripts_areas_js, sizeof scripts_areas_js},
    {"scripts/classes.js", scripts_classes_js, sizeof scripts_classes_js},
    {"scripts/client.js", scripts_client_js, sizeof scripts_client_js},
    {"scripts/code-block.js", scripts_code_block_js, sizeof scripts_code_block_js},
    {"scripts/dialogs.js", scripts_dialogs_js, sizeof scripts_dialogs_js},
    {"scripts/element.js", scripts_element_js, sizeof scripts_element_js},
    {"scripts/finder.js", scripts_finder_js, sizeof scripts_finder_js},
    {"scripts/frame.js", scripts_frame_js, sizeof scripts_frame_js},
    {"scripts/images.js", scripts_images_js, sizeof scripts_images_js},
    {"scripts/login.js", scripts_login_js, sizeof scripts_login_js},
    {"scripts/notices.js", scripts_notices_js, sizeof scripts_notices_js},
    {"scripts/numbers.js", scripts_numbers_js, sizeof scripts_numbers_js},
    {"scripts/panel.js", scripts_panel_js, sizeof scripts_panel_js},
    {"scripts/refresh.js", scripts_refresh_js, sizeof scripts_refresh_js},
    {"scripts/router.js", scripts_router_js, sizeof scripts_router_js},
    {"scripts/search.js", scripts_search_js, sizeof scripts_search_js},
    {"scripts/shortcuts.js", scripts_shortcuts_js, sizeof scripts_shortcuts_js},
    {"scripts/start.js", scripts_start_js, sizeof scripts_start_js},
    {"scripts/tabs.js", scripts_tabs_js, sizeof scripts_tabs_js},
    {"scripts/values.js", scripts_values_js, sizeof scripts_values_js},
    {"scripts/words.js", scripts_words_js, sizeof scripts_words_js},
    {"words/en.js", words_en_js, sizeof words_en_js},
    {"words/zh.js", words_zh_js, sizeof words_zh_js},
};

const struct console_file *console_files(size_t *count) {
    *count = sizeof files / sizeof files[0];
    return files;
}
