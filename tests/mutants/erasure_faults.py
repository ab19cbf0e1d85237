"""Seeded faults: erasure."""

from tests.mutants.mutant import Mutant

FAULTS = (
    Mutant(
        "a repair compares no payloads",
        "erasure/reconcile.py",
        "await self._index_lost(memory, scope, indexed_there - stale)",
        "await self._index_lost(memory, scope, indexed_there)",
        (
            "tests/integration/stores/test_disagreeing_stores.py::test_a_changed_record_is_repaired_although_the_counts_are_equal",
        ),
    ),
    Mutant(
        "a repair keeps points without records",
        "erasure/reconcile.py",
        "                removed += await space.index.delete(scope, orphans)\n",
        "",
        (
            "tests/integration/stores/test_disagreeing_stores.py::test_ghosts_of_an_older_graph_are_not_recalled_and_then_removed",
        ),
    ),
    Mutant(
        "waiting jobs keep payloads that name a forgotten request",
        "erasure/forget_part.py",
        '        if of_conversation or payload.get("invocation_id") in said_in:',
        "        if of_conversation:",
        ("tests/integration/test_forgetting.py::test_waiting_jobs_lose_the_payload_that_names_what_is_forgotten",),
    ),
    Mutant(
        "waiting jobs keep payloads of a forgotten conversation",
        "erasure/forget_part.py",
        '        if of_conversation or payload.get("invocation_id") in said_in:',
        '        if payload.get("invocation_id") in said_in:',
        ("tests/integration/test_forgetting.py::test_waiting_jobs_lose_the_payload_that_names_what_is_forgotten",),
    ),
    Mutant(
        "what was derived from a forgotten turn stays",
        "erasure/forget_part.py",
        "        self.facts |= {fact.id for fact in found}\n",
        "",
        ("tests/integration/test_job_attacks.py::test_forgetting_a_record_takes_what_rests_on_it",),
    ),
    Mutant(
        "other writers are not turned back after a part was removed",
        "erasure/forget_part.py",
        "            await invalidate_others(core.graph.fence, scope)\n",
        "",
        ("tests/integration/test_two_processes.py::test_a_part_that_is_forgotten_is_not_learned_from_in_another_process",),
    ),
    Mutant(
        "the conversation keeps the words of a forgotten turn",
        "erasure/forget_part.py",
        "        await self._redaction().run()\n",
        "",
        ("tests/integration/test_forgetting.py::test_the_words_of_a_forgotten_turn_are_gone_from_its_conversation_too",),
    ),
    Mutant(
        "the ranking keeps a forgotten question",
        "erasure/forget_part.py",
        "        await forget_in_weights(core, scope, self._forgotten())\n",
        "",
        ("tests/integration/test_forgetting_weights.py::test_a_forgotten_question_is_gone_from_the_weights",),
    ),
    Mutant(
        "the summary keeps the words of a forgotten turn",
        "erasure/redaction.py",
        "        await empty_summaries(self._conversations, self._scope, await self._affected())\n",
        "",
        ("tests/integration/test_forgetting.py::test_the_words_of_a_forgotten_turn_are_gone_from_its_conversation_too",),
    ),
    Mutant(
        "steps keep the words of a forgotten turn",
        "erasure/redaction.py",
        "        steps=(FORGOTTEN,) if invocation.steps else (),",
        "        steps=invocation.steps,",
        ("tests/integration/test_forgetting.py::test_the_words_of_a_forgotten_turn_are_gone_from_its_conversation_too",),
    ),
    Mutant(
        "an erased scope keeps its key",
        "erasure/forget.py",
        "destroyed = await self._core.graph.keyring.destroy(scope)",
        "destroyed = True",
        ("tests/integration/test_job_attacks.py::test_an_erased_user_is_nowhere_and_the_receipt_is_true",),
    ),
    Mutant(
        "an erased scope keeps its switches",
        "erasure/forget.py",
        "        await core.graph.switches.forget_scope(scope)\n",
        "",
        ("tests/integration/test_job_attacks.py::test_an_erased_user_is_nowhere_and_the_receipt_is_true",),
    ),
    Mutant(
        "an erased scope keeps its jobs",
        "erasure/forget.py",
        "        await core.graph.job_store.forget_scope(scope)\n",
        "",
        ("tests/integration/test_job_attacks.py::test_an_erased_user_is_nowhere_and_the_receipt_is_true",),
    ),
    Mutant(
        "an erased user keeps all collections but one",
        "erasure/forget.py",
        '        targets = {named, *of_user} if level == "user" else set(of_user)',
        '        targets = {named} if level == "user" else set(of_user)',
        ("tests/integration/test_job_attacks.py::test_an_erased_user_is_nowhere_and_the_receipt_is_true",),
    ),
    Mutant(
        "a receipt says complete although something is left",
        "erasure/receipt.py",
        "        return not any(self.left.values())",
        "        return True",
        ("tests/integration/test_fault_cases.py::test_an_engine_away_in_an_erasure_leaves_no_half_of_it",),
    ),
    Mutant(
        "undoing leaves what was derived",
        "erasure/undo_plan.py",
        "            if not found:\n                break\n            for fact in found:",
        "            if found:\n                break\n            for fact in found:",
        ("tests/integration/stores/test_fact_memory.py::test_what_rests_on_a_turn_goes_and_comes_back_with_it",),
    ),
    Mutant(
        "a late entry survives the sweep of an erased scope",
        "erasure/sweep.py",
        "                entries = await self._job_store.forget_scope(scope, before=erased_at)",
        "                entries = 0",
        ("tests/integration/test_job_attacks.py::test_a_job_in_flight_cannot_bring_an_erased_user_back",),
    ),
)
