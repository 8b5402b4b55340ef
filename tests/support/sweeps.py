"""Which tests are in the usual run, which are run before a merge besides, and which only where all are asked for.

Sweeps are tests over many templates or commands: one parametrised function, or all functions of a file. Of the
parameters of one the first is taken, and every so many of those that follow; the numbers are primes, so that of two
parameters that are combined all values come up.

What is not in the usual run gets the marker ``long``, and what of that is run before a merge, ``before_merge`` too.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Protocol

import pytest

from support.templates import CORPUS, TESTS, own_corpus_names, read_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

ONE_IN: Final = {
    "benchmarks/test_generations.py::test_the_interpreter_the_compiled_parser_and_the_floor_agree": 5,
    "cli/test_cli_check_sources.py::TestStreams::test_no_standard_output_is_a_file_error": 3,
    "cli/test_cli_compile_command.py::test_file_names_stay_inside_the_header_comment": 5,
    "cli/test_cli_compile_policies.py::TestLateErrors::"
    "test_ignored_they_show_when_text_is_parsed_as_in_the_interpreter": 5,
    "cli/test_cli_compile_policies.py::TestLateErrors::test_the_library_lets_them_through_as_warnings": 3,
    "cli/test_cli_inputs.py::test_a_name_that_begins_with_a_bracket_is_a_name": 11,
    "cli/test_cli_parse_command.py::test_a_message_from_any_parser": 3,
    "corpora/test_corpora_resuming.py::test_a_run_that_is_ended_in_the_middle_is_resumed": 5,
    "corpora/test_corpora_resuming.py::test_a_run_whose_worker_was_killed_is_resumed": 2,
    "corpora/test_corpora_resuming.py::test_wherever_a_file_was_cut_it_becomes_the_same": 3,
    "differential/test_own_templates.py::test_every_border_between_prefix_and_text": 3,
    "differential/test_own_templates.py::test_every_chunking": 3,
    "differential/test_passes.py::test_result_without_passes": 5,
    "engine_templates/test_engine_rules.py::"
    "test_each_family_is_taken_or_the_fields_are_named_because_of_which_it_is_not": 7,
    "families/test_families_round_trips.py::test_a_message_comes_back": 17,
    "generated/test_generated_parsers.py::test_fresh": 5,
    "grammars/test_grammars_agreement.py": 13,
    "grammars/test_grammars_forms.py": 13,
    "grammars/test_grammars_good_texts.py": 29,
    "grammars/test_grammars_refusals.py": 11,
    "grammars/test_grammars_special_tokens.py": 23,
    "grammars/test_grammars_walks.py": 17,
    "growth/test_growth.py::test_work_doubles_for_patterns_with_much_to_try": 7,
    "growth/test_growth.py::test_work_doubles_with_the_prompt": 5,
    "growth/test_growth.py::test_work_doubles_with_the_text": 23,
    "hostile/test_hostile_names.py::test_a_name_alone": 3,
    "hostile/test_hostile_names.py::test_names_together": 3,
    "hostile/test_hostile_sizes.py::TestNesting::test_sixty": 7,
    "hostile/test_hostile_sizes.py::TestNumbers::test_numbers": 3,
    "hostile/test_hostile_sizes.py::TestThousands::test_fields": 3,
    "hostile/test_hostile_strings.py::test_one_payload_in_all_slots": 3,
    "load/test_load.py::test_a_parser_that_raised_is_freed_by_counting_alone": 3,
    "load/test_load.py::test_an_error_that_is_kept_keeps_no_parser": 7,
    "load/test_load.py::test_streams_leave_no_cycle": 11,
    "native/test_native_form.py::test_lines_stay_where_they_are": 7,
    "openai_form/test_openai_families.py::test_samples": 7,
    "scan/test_scan_cuts.py::test_one_look_at_a_whole_text_is_enough_where_the_ir_says_so": 5,
    "scan/test_scan_cuts.py::test_stable_states_of_random_delimiters": 5,
    "scan/test_scan_decisions.py::test_states_of_random_delimiters": 11,
    "scan/test_scan_beginnings.py::test_beginnings_of_random_patterns": 5,
    "scan/test_scan_language.py::test_one_inside_another_of_the_same": 11,
    "scan/test_scan_language.py::test_one_language": 11,
    "scan/test_scan_language.py::test_the_longest_is_taken_unless_a_shorter_one_is_preferred": 11,
    "scan/test_scan_language.py::test_two_languages": 11,
    "scan/test_scan_runs.py::test_runs_of_random_delimiters": 7,
    "serving/test_serving_events.py::test_families": 5,
    "serving/test_serving_regions.py::test_spans_hold_the_delimiters_of_families": 5,
    "source/test_source_sizes.py::test_a_document_may_hold_more_than_the_template_in_it_but_not_everything": 5,
    "source/test_source_sizes.py::test_the_largest_is_read_and_one_step_more_is_not": 7,
    "stable/test_stable.py::test_families": 5,
    "stable/test_stable_holding.py::test_families_hold_back_no_more_than_needed": 3,
}
"""Of which tests one in how many is run before a merge: file, or file and function, under tests."""

USUAL_ONE_IN: Final = {
    "benchmarks": 3,
    "benchmarks/test_generations.py::test_the_interpreter_the_compiled_parser_and_the_floor_agree": 5,
    "cli": 5,
    "cli/test_cli_compile_policies.py::"
    "TestLateErrors::test_ignored_they_show_when_text_is_parsed_as_in_the_interpreter": 5,
    "cli/test_cli_infer_command.py::test_a_template_that_is_there_is_replaced_by_force": 7,
    "cli/test_cli_infer_command.py::test_the_report_is_printed_where_the_template_goes_to_a_file": 3,
    "cli/test_cli_inputs.py::TestPipes::test_a_template_is_read": 5,
    "cli/test_cli_parse_command.py::test_a_message_from_any_parser": 7,
    "cli/test_cli_tables.py::test_names_of_fields_and_literals_are_whole_in_a_terminal": 13,
    "codegen": 5,
    "codegen/test_imports.py::test_standalone_module_imports_nothing_of_the_project": 3,
    "codegen/test_two_parsers.py::test_every_family_has_both_and_the_second_is_that_of_serving_events": 11,
    "codegen/test_value_types.py::test_types_take_no_name_that_the_module_has": 3,
    "codegen/test_value_types.py::test_values_of_families": 11,
    "codegen/test_value_types.py::test_values_of_templates": 5,
    "corpora": 5,
    "differential/test_corpus.py::test_cases_that_depend_on_the_chunking": 3,
    "differential/test_corpus.py::test_cases_with_every_pass_off": 3,
    "differential/test_corpus.py::test_own_cases_depend_on_the_chunking_where_and_only_where_it_is_said": 5,
    "differential/test_found_before.py::test_the_end_of_a_text_beside_another_branch": 7,
    "differential/test_own_templates.py::test_every_chunking": 3,
    "differential/test_passes.py::test_result_without_passes": 5,
    "engine_templates/test_engine_rules.py::"
    "test_each_family_is_taken_or_the_fields_are_named_because_of_which_it_is_not": 5,
    "families": 5,
    "families/test_families_law.py::test_every_character_is_accounted_for": 7,
    "families/test_families_round_trips.py::test_a_message_comes_back": 3,
    "families/test_families_samples.py::test_events_of_a_sample_are_the_interpreter_s": 5,
    "families/test_families_samples.py::test_message_of_a_sample_at_once_and_in_any_chunking": 1,
    "families/test_families_templates.py::test_check_warns_of_nothing": 5,
    "families/test_families_templates.py::test_every_pattern_is_code": 5,
    "forms": 3,
    "forms/test_forms_families.py::test_samples": 11,
    "generated/test_generated_parsers.py::test_fresh": 5,
    "grammars": 5,
    "grammars/test_grammars_kinds.py::test_a_kind_that_no_text_shows_is_refused_with_its_place": 5,
    "grammars/test_grammars_work.py::test_twice_as_large_a_schema_takes_twice_the_work": 5,
    "growth": 3,
    "growth/test_growth.py::test_work_doubles_for_patterns_with_much_to_try": 7,
    "growth/test_growth.py::test_work_doubles_with_the_prompt": 7,
    "growth/test_growth.py::test_work_doubles_with_the_text": 7,
    "hostile": 5,
    "hostile/test_hostile_names.py::test_names_together": 3,
    "hostile/test_hostile_names.py::test_names_together_standalone": 7,
    "hostile/test_hostile_strings.py::test_one_payload_in_all_slots": 5,
    "inferring": 3,
    "inferring/test_inferring_kinds.py::test_calls": 5,
    "inferring/test_inferring_kinds.py::test_what_is_inferred_compiles_and_is_checked": 5,
    "integrations": 3,
    "integrations/test_inferred_templates.py::test_what_is_no_inference_is_passed_over": 11,
    "integrations/test_transformers_serve.py::test_every_family_can_be_served": 7,
    "library": 5,
    "library/test_library_compile_and_load.py::TestCompileTemplate::test_the_source_is_a_parser": 7,
    "library/test_library_fixes.py::test_all_safe_fixes_together_change_no_message": 11,
    "library/test_library_fixes.py::test_every_fix_of_every_template_keeps_its_promise": 23,
    "library/test_library_fixes.py::test_the_fixes_of_all_rules_keep_their_promises": 5,
    "library/test_library_fixes.py::test_the_ready_made_templates_have_nothing_to_fix": 11,
    "library/test_library_fixes_behave.py::test_a_fixed_template_has_no_new_errors": 5,
    "library/test_library_fixes_behave.py::test_closers_without_the_end_give_the_same_for_whole_texts": 5,
    "library/test_library_fixes_behave.py::test_fixed_templates_of_the_corpus_have_nothing_left_to_fix": 7,
    "library/test_library_lines.py::test_lines_are_the_interpreters": 3,
    "library/test_library_prepared_tools.py::test_messages_are_those_of_the_tools_themselves": 5,
    "lints": 5,
    "lints/test_lints_bounded.py::test_large_delimiters_are_searched_a_few_times": 3,
    "lints/test_lints_corpus.py::test_good_template_has_no_errors": 5,
    "load/test_load.py::test_streams_leave_no_cycle": 3,
    "native": 3,
    "native/test_native_form.py::test_lines_stay_where_they_are": 5,
    "native/test_native_form.py::test_what_most_chunks_pass_through_looks_up_no_method_by_its_name": 23,
    "openai_form": 3,
    "openai_form/test_openai_arguments.py::test_odd_bodies": 11,
    "openai_form/test_openai_families.py::test_objects_are_valid": 11,
    "openai_form/test_openai_families.py::test_samples": 3,
    "scan": 5,
    "schema": 3,
    "serving": 5,
    "source": 3,
    "stable": 5,
    "trace": 3,
    "verifying": 5,
}
"""Of which tests that are run before a merge one in how many is in the usual run: folder, file, or file and function.

What is nearest to a test counts. Each function is counted by itself, so that the first test of it always stays.
"""

LONG: Final = {
    "chat_templates/test_chat_templates_round_trips.py",  # and fetches what it reads
    "benchmarks/test_figures.py::test_work_is_done_by_turns_and_each_round_gives_a_figure",
    "benchmarks/test_shapes.py::test_a_shape_that_cannot_be_stable_has_a_row_that_says_so",
    "benchmarks/test_serving.py::test_each_kind_and_length_is_measured_in_both_ways",
    "benchmarks/test_serving.py::test_what_cannot_be_stable_is_measured_without_and_said",
    "cli/test_cli_bench_command.py::test_a_sample_that_cannot_be_parsed_is_named_and_left_out",
    "cli/test_cli_bench_command.py::test_standard_input_is_one_sample",
    "cli/test_cli_bench_command.py::test_without_samples_a_text_is_made_from_the_template",
    "cli/test_cli_bench_command.py::test_without_transformers_the_compiled_parser_is_measured_alone",
    "lints/test_lints_bounded.py::test_equal_openers_of_hundreds_of_fields_are_found_in_one_go",
    "codegen/test_determinism.py::test_hash_seed_makes_no_difference",
    "engine_copies",  # likewise
    "hostile/test_hostile_sizes.py::TestMegabytes::test_one_class",
    "hostile/test_hostile_strings.py::test_payloads_in_a_formatted_module",
    "native/test_native_building.py::test_in_a_package_it_is_imported_and_pickled_by_its_whole_name",
    "native/test_native_modules.py",
    "packaging",
}
"""Which tests are long as a whole: folders, files or functions under tests."""

BEFORE_MERGE: Final = {
    "benchmarks/test_openai_form_costs.py::test_each_length_and_kind_is_measured",
    "benchmarks/test_ready_made.py::test_near_misses_are_compared_and_measured",
    "benchmarks/test_shapes.py::test_a_built_module_is_measured_beside_the_pure_one",
    "chat_templates/test_chat_templates_spellings.py::test_the_record_is_learnt_from_the_chat_template",
    "cli/test_cli_bench_command.py::test_the_figures_are_given_as_json",
    "cli/test_cli_bench_command.py::test_the_interpreter_is_not_asked_where_it_would_never_end",
    "cli/test_cli_compile_command.py::TestCheck::test_standalone_is_another_file",
    "cli/test_cli_compile_command.py::TestStandalone::test_it_imports_the_standard_library_alone_for_literals",
    "cli/test_cli_compile_command.py::TestStandalone::test_it_imports_the_standard_library_and_regex_for_a_pattern",
    "cli/test_cli_compile_outputs.py::TestProject::test_all_of_it_is_compiled_with_its_options",
    "cli/test_cli_compile_policies.py::test_what_a_standalone_module_needs_is_shown_and_not_only_counted",
    "cli/test_cli_infer_command.py::test_causes_for_github",
    "cli/test_cli_infer_command.py::test_nothing_is_written_where_not_all_comes_back",
    "cli/test_cli_infer_command.py::test_partial_writes_it_all_the_same",
    "cli/test_cli_infer_command.py::test_the_template_is_printed_and_the_report_goes_beside",
    "cli/test_cli_infer_command.py::test_what_is_written_can_be_compiled_checked_and_verified",
    "cli/test_cli_inputs.py::TestPipes::test_several_commands_read_them",
    "cli/test_cli_inputs.py::test_another_file_is_written",
    "cli/test_cli_process.py::test_a_terminal_that_knows_ascii_alone_changes_nothing_that_is_written",
    "cli/test_cli_terminal.py::test_what_steers_is_what_unicode_says",
    "cli/test_cli_verify_command.py::test_delimiters_and_a_tokenizer",
    "cli/test_cli_verify_command.py::test_github",
    "cli/test_cli_verify_command.py::test_json",
    "cli/test_cli_verify_command.py::test_one_of_several_chat_templates",
    "cli/test_cli_verify_command.py::test_own_conversations_and_tools",
    "codegen/test_determinism.py::test_directory_makes_no_difference",
    "codegen/test_determinism.py::test_order_of_compilations_makes_no_difference",
    "codegen/test_generated_typing.py::test_formatted_modules_are_within_the_line_length_but_for_literals",
    "codegen/test_generated_typing.py::test_mypy_strict",
    "codegen/test_generated_typing.py::test_ruff",
    "docs/test_docs_prove_all.py::test_all_of_a_repository",
    "docs/test_docs_prove_all.py::test_the_exit_code_is_0_where_all_is_clean",
    "forms/test_forms_families.py::test_samples_that_break_off_and_go_on_with_another",
    "generated/test_generated_protocols.py::test_mypy_strict",
    "growth/test_growth.py::test_the_compiler_says_which_are_slow",
    "hostile/test_hostile_sizes.py::TestMegabytes::test_a_formatted_module",
    "hostile/test_hostile_sizes.py::TestMegabytes::test_one_literal",
    "hostile/test_hostile_sizes.py::TestThousands::test_alternatives_of_one_pattern",
    "hostile/test_hostile_sizes.py::TestThousands::test_constants_and_placeholders",
    "hostile/test_hostile_sizes.py::TestThousands::test_defaults",
    "hostile/test_hostile_sizes.py::TestThousands::test_fields_that_begin_with_each_other",
    "hostile/test_hostile_strings.py::test_any_strings_in_all_slots",
    "integrations/test_inferred_templates.py::test_another_version_infers_anew",
    "integrations/test_inferred_templates.py::test_processes_that_start_at_once_agree",
    "integrations/test_inferred_templates.py::test_so_many_are_known_at_once",
    "integrations/test_inferred_templates.py::test_the_cache_can_be_off",
    "integrations/test_inferred_templates.py::test_what_does_not_come_back_is_warned_of",
    "integrations/test_inferred_templates.py::test_what_was_ended_is_tried_again_after_a_while",
    "library/test_library_infer.py::test_what_is_inferred_is_verified",
    "library/test_library_many_parsers.py::test_thousands_of_interleaved_streams_equal_each_alone",
    "lints/test_lints_bounded.py::test_fields_with_patterns_are_searched_a_few_times_each",
    "lints/test_lints_bounded.py::test_hundreds_of_fields_beside_a_pattern_are_tried_once_each",
    "lints/test_lints_bounded.py::test_hundreds_of_fields_with_literals_are_not_tried_on_each_other",
    "load/test_load.py::test_many_interleaved_streams_equal_each_alone",
    "load/test_load.py::test_memory_is_flat_over_rounds_of_streams",
    "load/test_load.py::test_only_documented_errors_are_raised",
    "load/test_load.py::test_streams_that_differ_are_told_apart",
    "native/test_native_building.py::test_what_a_compiler_that_fails_said_is_shown",
    "native/test_native_building.py::test_without_a_compiler_too",
    "native/test_native_building.py::test_without_what_it_needs_the_module_is_written_and_the_command_fails",
    "openai_form/test_openai_families.py::test_most_families_stream_arguments",
    "openai_form/test_openai_families.py::test_samples_that_break_off",
    "scan/test_scan_beginnings.py::test_beginnings_of_any_pattern",
    "scan/test_scan_decisions.py::test_looks_beside_texts_are_found_by_expressions",
    "scan/test_scan_gates.py::test_gates_of_random_states_change_nothing",
    "scan/test_scan_marks.py::test_text_without_it_needs_no_search_in_random_states",
    "serving/test_serving_events.py::test_generated",
    "source/test_source_edits.py::test_the_text_says_what_the_steps_say",
    "source/test_source_edits.py::test_what_is_added_can_be_removed_again",
    "stable/test_stable_corpus.py::test_what_cannot_be_stable_is_refused",
    "verifying/test_verifying_processes.py::test_causes_come_back_whole",
}
"""Which tests are run before a merge and are not in the usual run, as a whole."""

LONG_BEFORE_MERGE: Final = {
    "chat_templates",
    "differential",
    "fuzzing",
    "generated",
    "packaging/test_runtime_alone.py",
    "packaging/test_wheel.py",
}
"""Where all that is long is run before a merge: what compares with the interpreter, with real chat templates and with
the committed modules, and what is built. The other long tests take longer than a run before a merge may."""

BESIDE_ONE_IN: Final = 5
"""One in how many templates and rows of the corpus beside the project is in the usual run."""


class Marked(Protocol):
    """As much of a test as is looked at here."""

    @property
    def path(self) -> Path: ...

    @property
    def nodeid(self) -> str: ...

    def add_marker(self, marker: pytest.MarkDecorator, /) -> None: ...

    def get_closest_marker(self, name: str, /) -> object: ...


def places_of(item: Marked) -> list[str]:
    """Return what the tables can name a test by: its function, its file and its folders, under tests."""
    if not item.path.is_relative_to(TESTS):
        return []
    path = item.path.relative_to(TESTS)
    function = f"{path.as_posix()}::{item.nodeid.partition('::')[2].partition('[')[0]}"
    return [function, path.as_posix(), *(folder.as_posix() for folder in path.parents)]


def mark_what_is_left_to_longer_runs(items: Iterable[Marked]) -> None:
    """Give each test that is not in the usual run its markers, those that are marked as long by hand too."""
    numbers: Counter[str] = Counter()
    for item in items:
        places = places_of(item)
        number, beyond = divmod(sum(numbers[place] for place in places[:1]), _one_in(ONE_IN, places))
        numbers.update(places[:1])
        if beyond or LONG.intersection(places):
            item.add_marker(pytest.mark.long)
        elif item.get_closest_marker("long") is None and (
            number % _one_in(USUAL_ONE_IN, places) or BEFORE_MERGE.intersection(places)
        ):
            item.add_marker(pytest.mark.long)
            item.add_marker(pytest.mark.before_merge)
        if LONG_BEFORE_MERGE.intersection(places) and item.get_closest_marker("long"):
            item.add_marker(pytest.mark.before_merge)


def _one_in(sweeps: Mapping[str, int], places: Iterable[str]) -> int:
    return next((sweeps[place] for place in places if place in sweeps), 1)


def templates_swept(names: Iterable[str]) -> list[Any]:
    """Return parameters for names of corpus templates: all of tests/corpus, some of those beside, the rest as long."""
    own = {*own_corpus_names()}
    return _swept((name, name, name in own) for name in names)


def rows_swept(file: str, rows: Iterable[dict[str, Any]]) -> list[Any]:
    """Return parameters for rows of the corpora, in the same way, by their ids."""
    own = {row["id"] for row in read_rows(CORPUS / file)}
    return _swept((row, row["id"], row["id"] in own) for row in rows)


def _swept(parameters: Iterable[tuple[Any, str, bool]]) -> list[Any]:
    swept = []
    beside = 0
    for value, ident, is_own in parameters:
        marks = () if is_own or beside % BESIDE_ONE_IN == 0 else (pytest.mark.long,)
        swept.append(pytest.param(value, id=ident, marks=marks))
        beside += not is_own
    return swept
