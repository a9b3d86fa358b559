"""Engines that perform the jobs of a campaign on other machines."""
